import type Database from 'better-sqlite3'
import { PipelineError } from '../../../base/errors/errors.js'
import type { GroupCommit } from './group-commit.js'
import type { LockPatience } from './lock-wait.js'
import type { Owner } from '../../store.js'
import type { Owners } from './owners.js'
import type { SqliteDatabase } from './database.js'
import type { OwnAnswers } from '../../rows/judging/own-answers.js'
import type { RowSum } from '../../rows/sums.js'
import type { WaitingAnswers } from '../../waiting-answers/waiting-answers.js'

/** The state that all parts of the store share. */
export interface Context {
  readonly db: SqliteDatabase
  /** Returns a prepared statement. It is prepared once for each text. */
  readonly sql: <Row>(text: string) => Database.Statement<unknown[], Row>
  readonly commit: GroupCommit
  /** The patience with locks of other processes. */
  readonly patience: LockPatience
  readonly owners: Owners
  /** This process. */
  readonly self: Owner
  readonly sum: RowSum
  readonly ownAnswers: OwnAnswers
  /** The answers that could not be stored, such as on a full disk. */
  readonly answers: WaitingAnswers
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Runs a synchronous read. An error becomes a rejection that names the store. */
export type Read = <T>(work: () => T) => Promise<T>

export function statements(db: SqliteDatabase): Context['sql'] {
  const statementsByText = new Map<string, Database.Statement>()
  return <Row>(text: string) => {
    // SQLite's own message for a database that was closed too early names neither the store nor the mistake.
    if (!db.open) throw new PipelineError('store', 'the store is closed already: open it again to use it')
    let statement = statementsByText.get(text)
    if (statement === undefined) {
      statement = db.prepare(text)
      statementsByText.set(text, statement)
    }
    return statement as Database.Statement<unknown[], Row>
  }
}
