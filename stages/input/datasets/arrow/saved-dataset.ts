import { isFile } from '../../../../base/files/path-kinds.js'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { messageOf, systemCode } from '../../../../base/errors/errors.js'
import { didYouMean } from '../../../../base/text/suggest.js'
import { type Features, readFeatures } from '../columns/features.js'
import { DatasetProblem } from '../dataset.js'
import { staysInside } from '../layout/safe-paths.js'

/** A folder that `save_to_disk` has written, with one split or several. */
interface SavedDataset {
  readonly files: readonly string[]
  readonly features?: Features
}

const state = z.looseObject({
  _data_files: z.array(z.looseObject({ filename: z.string() })),
  _indices_data_files: z.unknown().optional(),
})
const splitList = z.looseObject({ splits: z.array(z.string()) })

/** Returns whether a folder was written by `save_to_disk`. */
export async function isSavedDataset(folder: string): Promise<boolean> {
  const fileChecks = await Promise.all([isFile(join(folder, 'state.json')), isFile(join(folder, 'dataset_dict.json'))])
  return fileChecks.includes(true)
}

/**
 * Finds the Arrow files of a saved dataset, in order.
 *
 *
 * @throws DatasetProblem if the split does not exist, or the folder is incomplete.
 */
export async function savedDataset(folder: string, split: string): Promise<SavedDataset> {
  const dictionary = await jsonIn(join(folder, 'dataset_dict.json'), splitList)
  if (dictionary !== undefined) {
    const { splits } = dictionary
    if (!splits.includes(split))
      throw new DatasetProblem(
        'split',
        `no split "${split}" in ${folder} (it has ${splits.join(', ')}).${didYouMean(split, splits)}`,
      )
    return oneSplit(join(folder, split))
  }
  return oneSplit(folder)
}

async function oneSplit(folder: string): Promise<SavedDataset> {
  const saved = await jsonIn(join(folder, 'state.json'), state)
  if (saved === undefined)
    throw new DatasetProblem('dataset_path', `${folder} is no saved dataset: it has no state.json`)
  const indices = saved._indices_data_files
  if (Array.isArray(indices) && indices.length > 0)
    throw new DatasetProblem(
      'dataset_path',
      `${folder} was saved with a selection of rows apart from them: save it again after flatten_indices()`,
    )
  const names = saved._data_files.map(({ filename }) => filename)
  const astray = names.find(name => !staysInside(name))
  if (astray !== undefined)
    throw new DatasetProblem('dataset_path', `${folder}: state.json names a file outside of it: ${astray}`)
  const info = await jsonIn(join(folder, 'dataset_info.json'), z.looseObject({ features: z.unknown().optional() }))
  const features = readFeatures(info?.features)
  return { files: names.map(name => join(folder, name)), ...(features === undefined ? {} : { features }) }
}

async function jsonIn<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw new DatasetProblem('dataset_path', `${path} can't be read: ${messageOf(error)}`, { cause: error })
  }
}

/**
 * Finds the manifest of a Lance table's newest version. Its digest identifies the data, because data files never
 * change once written.
 *
 *
 * @returns undefined if the folder is not a Lance table
 */
export async function newestManifest(folder: string): Promise<string | undefined> {
  const versions = join(folder, '_versions')
  const names = await readdir(versions).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return []
    throw error
  })
  const [newest] = names
    .filter(name => /^\d+\.manifest$/.test(name))
    .sort((a, b) => parseManifestVersion(b) - parseManifestVersion(a))
  return newest === undefined ? undefined : join(versions, newest)
}

/**
 * The version of a manifest. Newer tables count down from 2^64 - 1 in twenty digits, so that a listing starts with
 * the newest version.
 */
export function parseManifestVersion(manifest: string): number {
  const digits = basename(manifest, '.manifest')
  return Number(digits.length === 20 ? 2n ** 64n - 1n - BigInt(digits) : BigInt(digits))
}
