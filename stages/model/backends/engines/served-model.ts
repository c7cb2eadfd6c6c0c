import { readdir } from 'node:fs/promises'
import { basename, join, relative, resolve, sep } from 'node:path'
import { PipelineError } from '../../../../base/errors/errors.js'
import { readPathKind } from '../../../../base/files/path-kinds.js'

/** The model that an engine serves: local files, or a name that the engine downloads itself. */
export type ServedModel =
  | { readonly type: 'files'; readonly path: string; readonly files: Readonly<Record<string, string>> }
  | { readonly type: 'name'; readonly name: string }

/** Matches the number in the file name of a model in several parts. */
const partNumber = /-(\d{5})-of-(\d{5})(?=\.gguf$)/

/**
 * Resolves `model`: to a file or folder if it exists, else to a name on the Hub.
 *
 * @throws PipelineError if it is written like a path and does not exist
 */
export async function servedModel(model: string, engine: string): Promise<ServedModel> {
  const path = resolve(model)
  const kind = await readPathKind(path)
  if (kind === 'folder') return { type: 'files', path, files: await folderFiles(path, engine) }
  if (kind === 'file') return { type: 'files', path, files: modelParts(path) }
  if (/^[./~]|^[a-z]:\\|\.gguf$/i.test(model)) {
    const hint = model.startsWith('~') ? ' (the shell replaces ~ only at the beginning of a word: write $HOME)' : ''
    throw new PipelineError('config', `model ${engine}: model=${model}: there is no such file or folder${hint}`)
  }
  return { type: 'name', name: model }
}

/** Names the parts of a model by number, since its identity is their content and not their paths. */
function modelParts(path: string): Record<string, string> {
  const [, , parts] = partNumber.exec(path) ?? []
  if (parts === undefined) return { model: path }
  return Object.fromEntries(
    Array.from({ length: Number(parts) }, (_, index) => {
      const number = String(index + 1).padStart(5, '0')
      return [`model-${number}`, path.replace(partNumber, `-${number}-of-${parts}`)]
    }),
  )
}

/** Lists all files that may be part of the model, without hidden files and documentation. */
async function folderFiles(folder: string, engine: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter(entry => !entry.isDirectory()).map(entry => join(entry.parentPath, entry.name))
  const files = paths
    .map(path => [relative(folder, path).split(sep).join('/'), path] as const)
    .filter(([name]) => !name.split('/').some(part => part.startsWith('.')))
    .filter(([name]) => !/\.(md|txt~|png|jpe?g|gif)$|^licen[cs]e/i.test(basename(name)))
  if (files.length > 0) return Object.fromEntries(files)
  throw new PipelineError('config', `model ${engine}: model=${folder}: the folder is empty`)
}
