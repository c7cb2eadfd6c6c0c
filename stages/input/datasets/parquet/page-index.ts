import type { AsyncBuffer, ColumnChunk, RowGroup, SchemaTree } from 'hyparquet'
import { writeOffsetIndex, readPageHeader, type PageLocation } from './page-header.js'

/** A row group of which parts can be read, and the file with what was added to it. */
export interface IndexedGroup {
  readonly group: RowGroup
  readonly file: AsyncBuffer
}

/** Column chunks of at least this many bytes are worth a look at their pages. */
const leastBytes = 4 * 2 ** 20

/**
 * Gives a row group the index of pages that its writer left out (pyarrow does by default), so that a part of it is read without the
 * rest: the headers of pages are read one after another, and an index made of them stands behind the end of the file. Columns
 * with lists keep none, since it is not seen from outside where a row of them begins.
 */
export async function withPageIndex(group: RowGroup, file: AsyncBuffer, schema: SchemaTree): Promise<IndexedGroup> {
  const added: { readonly start: number; readonly bytes: ArrayBuffer }[] = []
  let end = file.byteLength
  const columns: ColumnChunk[] = []
  for (const chunk of group.columns) {
    const bytes = needsIndex(chunk, schema) ? await indexOf(chunk, file) : undefined
    if (bytes === undefined) columns.push(chunk)
    else {
      columns.push({ ...chunk, offset_index_offset: BigInt(end), offset_index_length: bytes.byteLength })
      added.push({ start: end, bytes })
      end += bytes.byteLength
    }
  }
  if (added.length === 0) return { group, file }
  const slice = (start: number, stop?: number): Promise<ArrayBuffer> | ArrayBuffer => {
    const found = added.find(one => one.start === start)
    return found === undefined ? file.slice(start, stop) : found.bytes
  }
  return { group: { ...group, columns }, file: { byteLength: end, slice } }
}

function needsIndex({ meta_data: meta, offset_index_offset: index }: ColumnChunk, schema: SchemaTree): boolean {
  if (meta === undefined || index !== undefined) return false
  let place: SchemaTree | undefined = schema
  for (const name of meta.path_in_schema) {
    place = place.children.find(child => child.element.name === name)
    if (place === undefined || place.element.repetition_type === 'REPEATED') return false
  }
  return true
}

/** `undefined` where the pages are not such that rows can be counted by them. */
async function indexOf({ meta_data: meta }: ColumnChunk, file: AsyncBuffer): Promise<ArrayBuffer | undefined> {
  if (meta === undefined) return undefined
  const first = Number(meta.dictionary_page_offset ?? meta.data_page_offset)
  const start = first > 0 ? first : Number(meta.data_page_offset)
  const end = start + Number(meta.total_compressed_size)
  const pages: PageLocation[] = []
  let row = 0
  for (let at = start; at < end;) {
    const header = await readPageHeader(file, at, end)
    if (header === undefined) return undefined
    const size = header.headerBytes + header.bodyBytes
    if (header.rows !== undefined) {
      pages.push({ offset: at, size, firstRow: row })
      row += header.rows
    }
    at += size
  }
  return pages.length > 0 && row === Number(meta.num_values) ? writeOffsetIndex(pages) : undefined
}

/** Whether a row group is so large that parts of it are to be read. */
export const isLarge = (group: RowGroup): boolean =>
  group.columns.some(({ meta_data: meta }) => Number(meta?.total_compressed_size ?? 0) >= leastBytes)
