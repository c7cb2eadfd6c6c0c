import type { SqliteDatabase } from '../../connection/database.js'
import { readRunStamp, type IndexSource } from '../source/index-source.js'
import { targetName, type BuildTarget } from './build-target.js'
import { Columns, type Dictionary } from '../columns.js'
import { DamagedPieceError } from './index-file.js'
import { readFacts } from './read-facts.js'
import type { RowSum } from '../../../rows/sums.js'

export interface BuildDatabases {
  readonly store: IndexSource
  readonly index: SqliteDatabase
  readonly sum: RowSum
  readonly hash: (bytes: Uint8Array) => string
}

/** Maximum number of samples in a piece, which is one commit. The first piece is smaller, so that filters answer soon. */
const pieceSamples = 65_536
const firstPiece = 8_192

export interface BuildRow {
  readonly id: number
  readonly stamp: string
  readonly dictionary: string
  readonly samples: number
  readonly finished: number
  readonly ms: number
}

/**
 * Builds the columns of a run, piece by piece. The unfinished build of a killed process is continued if nothing has changed since. The generator
 * yields false after each read, so that the caller can handle messages. An interruption loses only what was read since the last commit.
 */
export async function* buildColumns(databases: BuildDatabases, target: BuildTarget): AsyncGenerator<boolean> {
  const { store, index, sum, hash } = databases
  const name = targetName(target)
  const stamp = await readRunStamp(store, target)
  const begun = beginBuild(index, name, stamp)
  const columns = new Columns(firstPiece, JSON.parse(begun.dictionary) as Dictionary)
  let after = { task: -1, index: -1 }
  let number = 0
  let writtenLength = 0
  for (const piece of readPieces(databases, begun.id, -1)) {
    columns.addBytes(piece.bytes, piece.samples, piece.fields)
    number = piece.number + 1
  }
  writtenLength = columns.length
  if (writtenLength > 0) {
    const { task, index: doc } = columns.columns
    after = { task: task[writtenLength - 1] ?? 0, index: doc[writtenLength - 1] ?? 0 }
  }
  let startedAt = performance.now()
  for (;;) {
    const facts = await readFacts(store, target, after, sum)
    for (const docFacts of facts) columns.add(docFacts)
    const last = facts.at(-1)
    const isFull = columns.length - writtenLength >= (number === 0 ? firstPiece : pieceSamples)
    if (last === undefined || isFull) {
      const bytes = columns.toBytes(writtenLength, columns.length)
      const now = performance.now()
      index.transaction(() => {
        if (columns.length > writtenLength)
          index
            .prepare('INSERT INTO piece (build, number, samples, fields, bytes, sum) VALUES (?, ?, ?, ?, ?, ?)')
            .run(begun.id, number, columns.length - writtenLength, columns.dictionary.fields.length, bytes, hash(bytes))
        index
          .prepare('UPDATE build SET dictionary = ?, samples = ?, finished = ?, ms = ms + ? WHERE id = ?')
          .run(
            JSON.stringify(columns.dictionary),
            columns.length,
            last === undefined ? 1 : 0,
            now - startedAt,
            begun.id,
          )
        if (last === undefined) index.prepare('DELETE FROM build WHERE target = ? AND id < ?').run(name, begun.id)
      })()
      startedAt = now
      writtenLength = columns.length
      number += 1
    }
    if (last === undefined) return
    after = { task: last.task, index: last.index }
    yield false
  }
}

function beginBuild(index: SqliteDatabase, target: string, stamp: string): BuildRow {
  return index
    .transaction((): BuildRow => {
      const unfinishedBuild = index
        .prepare<unknown[], BuildRow>('SELECT * FROM build WHERE target = ? AND finished = 0 AND stamp = ?')
        .get(target, stamp)
      index
        .prepare('DELETE FROM build WHERE target = ? AND finished = 0 AND id <> ?')
        .run(target, unfinishedBuild?.id ?? 0)
      if (unfinishedBuild !== undefined) return unfinishedBuild
      const dictionary = JSON.stringify({ metrics: [''], fields: [] } satisfies Dictionary)
      const newBuild = index
        .prepare<unknown[], BuildRow>(
          'INSERT INTO build (target, stamp, dictionary, samples, finished, ms) VALUES (?, ?, ?, 0, 0, 0) RETURNING *',
        )
        .get(target, stamp, dictionary)
      if (newBuild === undefined) throw new Error('internal error: build not made')
      return newBuild
    })
    .immediate()
}

export interface Piece {
  readonly number: number
  readonly samples: number
  readonly fields: number
  readonly bytes: Uint8Array
  readonly sum: string
}

/** Reads the pieces of a build after a piece number. @throws DamagedPieceError if one differs from what was written */
export function* readPieces(
  { index, hash }: Pick<BuildDatabases, 'index' | 'hash'>,
  build: number,
  after: number,
): Generator<Piece> {
  const statement = index.prepare<unknown[], Piece>(
    'SELECT * FROM piece WHERE build = ? AND number > ? ORDER BY number LIMIT 1',
  )
  for (let last = after; ;) {
    const piece = statement.get(build, last)
    if (piece === undefined) return
    if (hash(piece.bytes) !== piece.sum) throw new DamagedPieceError()
    yield piece
    last = piece.number
  }
}
