/** Kinds of files that are one row each. */
export type MediaKind = 'image' | 'audio' | 'video' | 'pdf'

/** Kinds of files, each with its own reader. */
export type FileKind = 'parquet' | 'json' | 'csv' | 'arrow' | 'text' | MediaKind

const endings: Readonly<Record<FileKind, readonly string[]>> = {
  parquet: ['parquet', 'geoparquet', 'gpq'],
  json: ['jsonl', 'json', 'ndjson'],
  csv: ['csv', 'tsv'],
  arrow: ['arrow', 'feather'],
  text: ['txt'],
  image: 'jpg jpeg png gif webp bmp tif tiff avif heic ppm'.split(' '),
  audio: 'wav mp3 flac ogg oga m4a aac opus aif aiff aifc wma mka amr au caf'.split(' '),
  video: 'mp4 mkv webm mov avi flv wmv asf mpg mpeg vob m4v ogv 3gp mts m2ts'.split(' '),
  pdf: ['pdf'],
}

const kindByEnding: ReadonlyMap<string, FileKind> = new Map(
  Object.entries(endings).flatMap(([kind, names]) => names.map(name => [name, kind as FileKind] as const)),
)

/** Endings of tables, for messages. */
export const tableEndings: readonly string[] = ['parquet', 'json', 'csv', 'arrow', 'text'].flatMap(
  kind => endings[kind as FileKind],
)

/** Files that describe the media beside them. */
export const isMetadataFile = (path: string): boolean => /(^|\/)metadata\.(csv|jsonl|parquet)$/.test(path)

/** Returns the kind of a file by its name; `.gz` and `.zst` are ignored. */
export function fileKind(path: string): FileKind | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const ending = /\.(\w+)(?:\.(?:gz|zst))?$/.exec(name)?.[1]
  return ending === undefined ? undefined : kindByEnding.get(ending)
}

const mediaKinds: ReadonlySet<string | undefined> = new Set<MediaKind>(['image', 'audio', 'video', 'pdf'])

export const isMediaKind = <T extends string>(kind: T | undefined): kind is T & MediaKind => mediaKinds.has(kind)

/** Returns whether a path names a table of rows. */
export function isTableFile(path: string): boolean {
  const kind = fileKind(path)
  return kind !== undefined && !isMediaKind(kind)
}

export const isArchive = (path: string): boolean => /\.(zip|tar|tar\.gz|tgz|tar\.zst)$/i.test(path)

const preferred: readonly FileKind[] = ['parquet', 'json', 'csv']

/**
 * Returns the most frequent kind of file, with which all files are read. On a tie, Parquet wins. Metadata files and PDFs, which are often
 * documentation, count only if there is nothing else.
 */
export function commonKind(paths: readonly string[]): FileKind | undefined {
  const counts = new Map<FileKind, number>()
  const own = paths.filter(path => !isMetadataFile(path))
  for (const path of own.length > 0 ? own : paths) {
    const kind = fileKind(path)
    if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  if (counts.size > 1) counts.delete('pdf')
  const rank = (kind: FileKind): number => (preferred.includes(kind) ? preferred.indexOf(kind) : preferred.length)
  return [...counts].sort(([a, x], [b, y]) => y - x || rank(a) - rank(b))[0]?.[0]
}

/** Returns the files that are read for a kind. */
export const filesOfKind = (paths: readonly string[], kind: FileKind | undefined): readonly string[] =>
  paths.filter(path => fileKind(path) === kind || (isMediaKind(kind) && isMetadataFile(path)))
