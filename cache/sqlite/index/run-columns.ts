import type { SqliteDatabase } from '../connection/database.js'
import { readPieces, type BuildDatabases, type BuildRow } from './building/build-columns.js'
import { targetName, type BuildTarget } from './building/build-target.js'
import { textRow, type TextRow } from './building/build-texts.js'
import { Columns, type Dictionary } from './columns.js'
import { Places } from './places.js'

const buildSql = 'SELECT * FROM build WHERE target = ? ORDER BY finished DESC, id DESC LIMIT 1'

/** The prepared columns of a run, in memory. It follows the index's file. */
export class RunColumns {
  target: BuildTarget
  /** Cached selections and values of other runs, by their inputs. The oldest come first. */
  readonly selections = new Map<string, Int32Array>()
  readonly others = new Map<string, Float64Array>()
  columns = new Columns(1)
  places = new Places(this.columns)
  build: BuildRow | undefined
  text: TextRow | undefined
  #piece = -1
  /** The version of the index's file that was read. */
  #version = -1

  constructor(target: BuildTarget) {
    this.target = target
  }

  get bytes(): number {
    const selections = [...this.selections.values(), ...this.others.values()]
    return this.columns.bytes + selections.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** Names the samples that are loaded. It changes whenever they do. */
  get version(): string {
    return `${this.build?.id ?? 0} ${this.#piece}`
  }

  /** Loads the columns that were built since the last call. @throws DamagedPieceError, or SQLite's error, if the index is damaged */
  refresh(index: SqliteDatabase, hash: BuildDatabases['hash']): void {
    const version = Number(index.pragma('data_version', { simple: true }))
    if (version === this.#version) return
    this.text = textRow(index, this.target)
    const build = index.prepare<unknown[], BuildRow>(buildSql).get(targetName(this.target))
    if (build === undefined) return this.#forget()
    const dictionary = JSON.parse(build.dictionary) as Dictionary
    if (build.id === this.build?.id) this.columns.learn(dictionary)
    else {
      this.#forget()
      this.columns = new Columns(Math.max(1, build.samples), dictionary)
      this.places = new Places(this.columns)
    }
    this.build = build
    for (const piece of readPieces({ index, hash }, build.id, this.#piece)) {
      this.columns.addBytes(piece.bytes, piece.samples, piece.fields)
      this.#piece = piece.number
      this.selections.clear()
      this.others.clear()
    }
    this.#version = version
  }

  #forget(): void {
    this.selections.clear()
    this.others.clear()
    this.columns = new Columns(1)
    this.places = new Places(this.columns)
    this.build = undefined
    this.#piece = -1
  }
}

/** Keeps the last few entries of a map. */
export function keepLast<T>(map: Map<string, T>, key: string, value: T, most: number): T {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= most) break
    map.delete(oldest)
  }
  return value
}
