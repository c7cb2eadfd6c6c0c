/** Beginnings of files in other formats, with a description and a remedy. */
const kinds: readonly (readonly [beginning: RegExp, what: string])[] = [
  [
    /^version https:\/\/git-lfs\.github\.com\/spec\//,
    'it is a Git LFS pointer, not the content. Fetch that with: git lfs pull',
  ],
  [/^\/annex\/objects\//, 'it is a git-annex pointer, not the content. Fetch that with: git annex get'],
  [/^(?:\xff\xfe|\xfe\xff)/, 'it is UTF-16 text. Save it as UTF-8, such as by: iconv -f UTF-16 -t UTF-8 OLD > NEW'],
  [
    /^(?:[^\0]\0[^\0]\0|\0[^\0]\0[^\0])/,
    'it is UTF-16 text. Save it as UTF-8, such as by: iconv -f UTF-16LE -t UTF-8 OLD > NEW',
  ],
  [/^PK\x03\x04/, 'it is a ZIP archive (as an .xlsx workbook is), not text. Unpack it, or save the sheet as CSV'],
  [/^\x1f\x8b/, 'it is packed by gzip. Unpack it (gunzip)'],
  [/^BZh[1-9]/, 'it is packed by bzip2. Unpack it (bunzip2)'],
  [/^\xfd7zXZ/, 'it is packed by xz. Unpack it (unxz)'],
  [/^\x28\xb5\x2f\xfd/, 'it is packed by Zstandard. Unpack it (unzstd)'],
  [/^7z\xbc\xaf\x27\x1c/, 'it is a 7z archive. Unpack it'],
  [/^\xd0\xcf\x11\xe0/, 'it is an old Office document, not text. Save the sheet as CSV'],
  [/^PAR1/, 'it is a Parquet file, not text. Name it .parquet'],
  [/^%PDF-/, 'it is a PDF, not text'],
  [/^SQLite format 3\0/, 'it is an SQLite database, not text'],
]

/** The number of bytes from the start that {@link foreignContent} needs. */
export const foreignBytes = 512

/**
 * Detects a file that should be UTF-8 text but is in another format, such as a Git LFS pointer. Returns what it is and what to do, or `undefined`
 * if the bytes look like text.
 */
export function foreignContent(bytes: Uint8Array): string | undefined {
  const beginning = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, foreignBytes)).toString(
    'latin1',
  )
  return kinds.find(([pattern]) => pattern.test(beginning))?.[1]
}

/** Detects a Git LFS or git-annex pointer in place of the content. */
export function pointerContent(bytes: Uint8Array): string | undefined {
  const what = foreignContent(bytes)
  return what?.includes('pointer') === true ? what : undefined
}
