import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { readRows } from '../../cache/parquet/read.js'

/** A text that was found in a folder, with its place. */
export interface Written {
  readonly where: string
  readonly bytes: Buffer
}

/** Lists everything written in a folder: its files, and the contents of Parquet files, tar files and databases. */
export async function everythingIn(folder: string): Promise<readonly Written[]> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile())
  const found = files.map(async file => unpacked(file.name, await readFile(join(file.parentPath, file.name))))
  return (await Promise.all(found)).flat()
}

async function unpacked(where: string, bytes: Buffer): Promise<readonly Written[]> {
  const own: Written = { where, bytes }
  if (bytes.subarray(0, 4).toString('latin1') === 'PAR1') return [own, { where, bytes: await parquetText(bytes) }]
  if (bytes.subarray(0, 15).toString('latin1') === 'SQLite format 3') return [own, { where, bytes: rowsOf(bytes) }]
  if (bytes.subarray(0, 2).toString('hex') === '1f8b') return [own, ...(await unpacked(where, gunzipSync(bytes)))]
  if (bytes.subarray(257, 262).toString('latin1') !== 'ustar') return [own]
  const inner = tarEntries(bytes).map(({ where: name, bytes: content }) => unpacked(`${where}/${name}`, content))
  return [own, ...(await Promise.all(inner)).flat()]
}

function tarEntries(bytes: Buffer): readonly Written[] {
  const entries: Written[] = []
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0;) {
    const text = (from: number, to: number): string =>
      bytes
        .subarray(at + from, at + to)
        .toString()
        .replace(/\0.*$/s, '')
    const size = Number.parseInt(text(124, 136), 8)
    entries.push({ where: text(0, 100), bytes: bytes.subarray(at + 512, at + 512 + size) })
    at += 512 * (1 + Math.ceil(size / 512))
  }
  return entries
}

const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
const shown = (value: unknown): string => {
  if (typeof value === 'string') return value
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : JSON.stringify(value ?? null, plain)
}
const textOf = (rows: readonly Readonly<Record<string, unknown>>[]): Buffer =>
  Buffer.from(rows.flatMap(row => Object.values(row).map(shown)).join('\n'), 'latin1')

async function parquetText(bytes: Buffer): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'parquet-look-'))
  try {
    const file = join(folder, 'rows.parquet')
    await writeFile(file, bytes)
    const parts: Buffer[] = []
    for await (const rows of readRows(file)) parts.push(textOf(rows))
    return Buffer.concat(parts)
  } finally {
    await rm(folder, { recursive: true })
  }
}

function rowsOf(bytes: Buffer): Buffer {
  const file = Buffer.from(bytes)
  // A database in memory has no write-ahead log. These two bytes of the header say that there is one.
  file.fill(1, 18, 20)
  const db = new Database(file)
  try {
    const tables = db.prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    const rows = tables.map(({ name }) => db.prepare<[], Record<string, unknown>>(`SELECT * FROM "${name}"`).all())
    return textOf(rows.flat())
  } finally {
    db.close()
  }
}
