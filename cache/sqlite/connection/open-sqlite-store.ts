import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { statements, type Context } from './context.js'
import { limitCache, openToRead, openToWrite, refuseNewer, waitLong, type OpenedDatabase } from './database.js'
import { storeError } from './store-error.js'
import { GroupCommit } from './group-commit.js'
import { createPatience, shortPauseMs, tries, whenUnlocked } from './lock-wait.js'
import { LogSync } from './log-sync.js'
import { thisProcess } from '../../../base/processes/process-identity.js'
import { Owners, uptime as machineUptime } from './owners.js'
import { writePresenceFile } from './presence-files.js'
import { defineRowSums } from '../rows.js'
import { SqliteStore } from '../sqlite-store.js'
import type { Owner } from '../../store.js'
import type { Access, LockListener } from '../../store/opening.js'
import { OwnAnswers } from '../../rows/judging/own-answers.js'
import { createRowSum } from '../../rows/sums.js'
import { AnswerSpill } from '../../waiting-answers/answer-spill.js'
import { findPlaces } from '../../waiting-answers/places.js'
import { recoveredText, WaitingAnswers } from '../../waiting-answers/waiting-answers.js'
import { recoverWaiting } from '../work/recover-answers.js'

interface OpenOptions {
  readonly access: Access
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** The owner of the handle's leases. @default this process */
  readonly self?: Owner
  /** Returns milliseconds of the machine's monotonic clock. @default the machine's clock */
  readonly uptime?: () => number
  readonly cacheMb?: number
  /** Informed while another process holds the lock. Its signals may end the wait. */
  readonly waiting?: LockListener
}

/** @throws PipelineError if the database cannot be used, with the reason and what to do */
export async function openSqliteStore(dir: string, options: OpenOptions): Promise<SqliteStore> {
  const { access, now, self = thisProcess(), uptime = machineUptime, cacheMb, waiting } = options
  const sum = await createRowSum()
  const explain = (error: unknown): unknown => storeError(dir, error)
  const open = (): Opened =>
    access === 'read'
      ? openedToRead(dir, { uptime, self })
      : openedToWrite(dir, { now, uptime, self }, access === 'change')
  const { database, owners } = await whenUnlocked(
    createPatience(dir, { self, now, tries: tries.opening }, { ...waiting, limitMs: undefined }),
    open,
  ).catch((error: unknown) => {
    throw explain(error)
  })
  limitCache(database.db, cacheMb)
  waitLong(database.db)
  defineRowSums(database.db, sum)
  const log = new LogSync(database.db.name)
  const patience = createPatience(dir, { self, now, tries: tries.working, firstPauseMs: shortPauseMs }, waiting)
  const { db } = database
  // A process of a newer version may upgrade the store while this one works.
  const check = (): void => refuseNewer(db, db.name)
  const commit = new GroupCommit(db, { sync: () => log.sync(), explain, patience, check })
  const places = findPlaces(join(dir, 'waiting-answers'), realpathSync(dir))
  const spill = new AnswerSpill(places, { owner: () => owners.key, sum })
  const context: Context = {
    db: database.db,
    sql: statements(database.db),
    commit,
    patience,
    owners,
    self,
    sum,
    now,
    ownAnswers: new OwnAnswers(),
    answers: new WaitingAnswers(spill, () => recoverWaiting(context, places)),
  }
  const store = new SqliteStore(dir, { opened: database, log }, context)
  if (access === 'read') return store
  try {
    const recovered = await context.answers.recover()
    if (recovered > 0) waiting?.tell?.(recoveredText(recovered))
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

interface Who {
  readonly uptime: () => number
  readonly self: Owner
}

interface Opened {
  readonly database: OpenedDatabase
  readonly owners: Owners
}

function openedToRead(dir: string, { uptime, self }: Who): Opened {
  const database = openToRead(dir)
  return { database, owners: new Owners(database.db, uptime, self) }
}

/** Opens the database. A presence file shows this process to others until it is registered as an owner. */
function openedToWrite(dir: string, { now, uptime, self }: Who & Pick<Context, 'now'>, isThere: boolean): Opened {
  let takeBack = (): void => undefined
  try {
    const begin = (): void => void (takeBack = writePresenceFile(dir, self, now()))
    const database = openToWrite(dir, { isThere, begin })
    return { database, owners: registerOwner(database, { uptime, self }) }
  } finally {
    takeBack()
  }
}

function registerOwner({ db }: OpenedDatabase, { uptime, self }: Who): Owners {
  try {
    const owners = new Owners(db, uptime, self)
    owners.register()
    return owners
  } catch (error) {
    db.close()
    throw error
  }
}
