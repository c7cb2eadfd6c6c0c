import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CsvRecord } from './csv-records.js'

/**
 * The columns of VLMEvalKit's picture references. A number in the column `image` refers to the picture of the row with this `index`, so that files
 * hold each picture once.
 *
 * Source: `ImageBaseDataset` in VLMEvalKit's `image_base.py`.
 */
export interface PictureColumns {
  readonly index: number
  readonly image: number
}

/** Returns the number by which a record refers to another record's picture. */
export function pointerIn(record: CsvRecord, { image }: PictureColumns): string | undefined {
  const text = record[image] ?? ''
  return /^\d{1,18}$/.test(text) ? text : undefined
}

/** The pictures that records point to. They are in a temporary file, because they may be all of the dataset. */
export interface PointedPictures {
  /** Returns the record with the picture that it points to, or the record itself. */
  resolve(record: CsvRecord): Promise<CsvRecord>
  close(): Promise<void>
}

const isPicture = (text: string): boolean => /^[A-Za-z0-9+/]{64}/.test(text)

/** @param wanted the numbers that records point to */
export async function pointedPictures(
  records: AsyncIterable<readonly CsvRecord[]>,
  columns: PictureColumns,
  wanted: ReadonlySet<string>,
): Promise<PointedPictures> {
  const folder = await mkdtemp(join(tmpdir(), 'pipeline-pictures-'))
  const file = await open(join(folder, 'pictures'), 'wx+')
  const close = async (): Promise<void> => {
    await file.close()
    await rm(folder, { recursive: true, force: true })
  }
  const places = new Map<string, { readonly at: number; readonly length: number }>()
  let end = 0
  try {
    for await (const batch of records)
      for (const record of batch) {
        const [index = '', picture = ''] = [record[columns.index], record[columns.image]]
        if (!wanted.has(index) || places.has(index) || !isPicture(picture)) continue
        const { bytesWritten } = await file.write(picture, end, 'latin1')
        places.set(index, { at: end, length: bytesWritten })
        end += bytesWritten
      }
  } catch (error) {
    await close()
    throw error
  }
  return {
    async resolve(record) {
      const place = places.get(pointerIn(record, columns) ?? '')
      if (place === undefined) return record
      const { buffer } = await file.read(Buffer.alloc(place.length), 0, place.length, place.at)
      return record.with(columns.image, buffer.toString('latin1'))
    },
    close,
  }
}
