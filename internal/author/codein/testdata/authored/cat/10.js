/*
description: Reads limits.max of a JSON file, 10 if there is none
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function config_value(input) {
  try {
    const file = await tools.files.read_file({ path: input.path });
    const config = JSON.parse(file.content);
    return { max: config?.limits?.max ?? 10 };
  } catch (e) {
    return { max: 10 };
  }
}
