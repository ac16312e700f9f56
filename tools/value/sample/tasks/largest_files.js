/*
description: Returns the ten largest files of the folder, the largest first
*/
export default async function largest_files() {
  const { names } = await tools.files.list_files({});
  const infos = await Promise.all(names.map(name => tools.files.file_info({ name })));
  return { files: infos.sort((a, b) => b.size - a.size).slice(0, 10) };
}
