/*
description: Reads limits.max of a JSON file, 10 by default
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
*/
export default async function config_value(input) {
  try {
    const { content } = await tools.files.read_file({ path: input.path });
    const config = JSON.parse(content);
    return { max: config?.limits?.max ?? 10 };
  } catch {
    return { max: 10 };
  }
}
