import { basename, dirname, join, normalize } from 'node:path/posix'
import { Readable } from 'node:stream'
import { PipelineError } from '../../../../base/errors/errors.js'
import type { Doc } from '../../tasks/doc.js'
import { type Column, type Dataset, floatsOfAll } from '../dataset.js'
import type { Feature, Features } from '../columns/features.js'
import { fileKind, isMetadataFile, type MediaKind } from '../layout/file-kinds.js'

/**
 * A folder of images, audio or video files, or PDFs, one a row, with optional metadata. Paths are relative to the
 * dataset.
 */
export interface MediaFolder {
  readonly kind: MediaKind
  /** Files of the split, in order. */
  readonly paths: readonly string[]
  /** The files of all splits, from which the classes are computed. */
  readonly every: readonly string[]
  readonly open: (path: string) => Promise<Dataset>
}

/**
 * Opens a folder of media as rows. With metadata files (`metadata.csv`, `.jsonl`, `.parquet`), their rows are used, and `file_name` names the medium.
 * Otherwise each file is a row. If there are several folders of one depth, `label` is the index of the file's folder.
 *
 * Source: `datasets`, `FolderBasedBuilder`.
 */
export async function openMediaFolder(folder: MediaFolder): Promise<Dataset> {
  const metadata = folder.paths.filter(isMetadataFile)
  return metadata.length > 0 ? openDescribed(folder, metadata) : openBare(folder)
}

function openBare({ kind, paths, every }: MediaFolder): Dataset {
  const media = paths.filter(path => fileKind(path) === kind)
  const mediaPaths = every.filter(path => fileKind(path) === kind)
  const classes = [...new Set(mediaPaths.map(folderName))].sort()
  const depths = new Set(mediaPaths.map(path => path.split('/').length))
  const isLabelled = classes.length > 1 && depths.size === 1
  const features: Features = {
    [kind]: { type: kind },
    ...(isLabelled ? { label: { type: 'class', names: classes } } : {}),
  }
  return {
    files: [],
    columns: [{ name: kind, isMedia: true }, ...(isLabelled ? [{ name: 'label', isMedia: false }] : [])],
    count: media.length,
    features,
    rows: () => Readable.from(rows()) as AsyncIterable<Doc>,
  }
  function* rows(): Generator<Doc> {
    for (const path of media)
      yield { [kind]: medium(path), ...(isLabelled ? { label: classes.indexOf(folderName(path)) } : {}) }
  }
}

const folderName = (path: string): string => basename(dirname(path))

const medium = (path: string): { readonly bytes: null; readonly path: string } => ({ bytes: null, path })

async function openDescribed({ kind, open }: MediaFolder, metadata: readonly string[]): Promise<Dataset> {
  const opened = await Promise.all(metadata.map(async path => ({ path, dataset: await open(path) })))
  const names = new Set(opened.flatMap(({ dataset }) => dataset.columns.map(({ name }) => name)))
  const mediumNames = [...names].filter(name => mediumColumn(name, kind) !== undefined)
  if (mediumNames.length === 0)
    throw new PipelineError('dataset', `${metadata.join(', ')}: no column file_name says which ${kind} a row is about`)
  const column = (name: string): Column => {
    const own = mediumColumn(name, kind)
    return own === undefined ? { name, isMedia: false } : { name: own.name, isMedia: true }
  }
  const features = mediumNames.flatMap((name): [string, Feature][] => {
    const own = mediumColumn(name, kind)
    return own === undefined ? [] : [[own.name, own.isList ? { type: 'list', of: { type: kind } } : { type: kind }]]
  })
  return {
    files: opened.flatMap(({ dataset }) => dataset.files),
    columns: [...names].map(column),
    features: Object.fromEntries(features),
    ...floatsOfAll(opened.map(({ dataset }) => dataset)),
    async *rows() {
      for (const { path, dataset } of opened)
        for await (const row of dataset.rows()) yield describedRow(row, { kind, folder: dirname(path) })
    },
  }
}

/** Maps `file_name` to the column of the medium, `mask_file_name` to `mask`, and `file_names` to a list. */
function mediumColumn(name: string, kind: string): { readonly name: string; readonly isList: boolean } | undefined {
  const [, prefix, plural] = /^(?:(.+)_)?file_name(s)?$/.exec(name) ?? []
  if (!/^(?:.+_)?file_names?$/.test(name)) return undefined
  const isList = plural === 's'
  return { name: prefix ?? (isList ? `${kind}s` : kind), isList }
}

function describedRow(row: Doc, { kind, folder }: { readonly kind: string; readonly folder: string }): Doc {
  const resolveMedium = (value: unknown): unknown =>
    typeof value === 'string' ? medium(normalize(join(folder, value))) : null
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const own = mediumColumn(name, kind)
      if (own === undefined) return [name, value]
      return [own.name, Array.isArray(value) ? value.map(resolveMedium) : resolveMedium(value)]
    }),
  )
}
