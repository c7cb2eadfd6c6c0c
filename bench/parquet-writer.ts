/** A process that writes a Parquet file of images: `FILE ROWS`. It is separate, because the memory of a parent would count in the measurement. */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { ParquetWriter } from 'hyparquet-writer'
import { HashingSink } from '../cache/parquet/write.js'

/** Rows of one row group. Their images take half a gigabyte. */
const group = 100_000
const pictureBytes = 5_000

async function writeTable(file: string, rows: number): Promise<void> {
  const handle = await open(file, 'w')
  const sink = new HashingSink(async bytes => {
    await handle.writeFile(bytes)
  })
  try {
    const writer = new ParquetWriter({ writer: sink, schema: [...schema], statistics: false })
    for (let first = 0; first < rows; first += group) {
      const indices = Array.from({ length: Math.min(group, rows - first) }, (_, at) => first + at)
      const columns = {
        id: indices,
        question: indices.map(index => `What is shown in picture number ${index}? Answer with one word.`),
        image: indices.map(index => ({ bytes: noise(index, pictureBytes), path: `${index}.png` })),
      }
      // Most writers omit the page index.
      const columnData = Object.entries(columns).map(([name, data]) => ({ name, data, offsetIndex: false }))
      await writer.write({ columnData, rowGroupSize: indices.length })
    }
    await writer.finish()
    await sink.flush()
  } finally {
    await handle.close()
  }
}

const optional = { repetition_type: 'OPTIONAL' } as const
const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', ...optional } as const

const schema = [
  { name: 'root', num_children: 3 },
  { name: 'id', type: 'INT32', ...optional },
  { name: 'question', ...text },
  { name: 'image', num_children: 2, ...optional },
  { name: 'bytes', type: 'BYTE_ARRAY', ...optional },
  { name: 'path', ...text },
] as const

/** Incompressible bytes, different for each image. */
const noise = (seed: number, length: number): Uint8Array =>
  createHash('shake256', { outputLength: length }).update(String(seed)).digest()

const [, , file = '', rows = ''] = process.argv
await writeTable(file, Number(rows))
