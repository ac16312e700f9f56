// What the drag of a line of a value carries beside its text: the path that reads it.
export const pathType = "application/x-patchbay-path";
