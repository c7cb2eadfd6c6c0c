import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { FileDigest } from '../../../../cache/digest.js'
import type { JsonObject } from '../../../../cache/records.js'
import type { BackendContext } from '../../define-backend.js'

/** The arguments under which models of lmms-eval and the Hub take a folder of weights. */
const names = ['pretrained', 'model', 'model_path', 'model_name_or_path', 'peft', 'tokenizer']

/** Digests of the files in local folders of weights, so that other weights in the same folder are another model. */
export async function weightFiles(
  args: JsonObject,
  { fileDigest }: Pick<BackendContext, 'fileDigest'>,
): Promise<Readonly<Record<string, FileDigest>>> {
  const digests = names.map(async name => {
    const value = args[name]
    const folder = typeof value === 'string' ? resolve(value) : undefined
    const stats = folder === undefined ? undefined : await stat(folder).catch(() => undefined)
    if (folder === undefined || stats?.isDirectory() !== true) return []
    const entries = await readdir(folder, { withFileTypes: true, recursive: true })
    const files = entries
      .filter(entry => entry.isFile() || entry.isSymbolicLink())
      .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .filter(file => !file.split(/[\\/]/).some(part => part.startsWith('.')))
      .sort()
    return Promise.all(files.map(async file => [`${name}/${file}`, await fileDigest(join(folder, file))] as const))
  })
  return Object.fromEntries((await Promise.all(digests)).flat())
}
