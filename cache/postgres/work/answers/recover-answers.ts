/** Stores the answers that processes of this machine left in files when they ended while the server could not be written. */
import type { KeyedAnswer } from '../../../waiting-answers/answer-spill.js'
import type { WaitingPlace } from '../../../waiting-answers/places.js'
import { recoverAnswers } from '../../../waiting-answers/read-answers.js'
import type { Context } from '../../connection/context.js'
import { findNumbers } from '../interning.js'
import { keepOldAnswer } from '../requests.js'
import { findRun } from '../runs.js'
import { insertAnswers } from './answers.js'

/** Stores the answers that wait for a store on PostgreSQL. @returns the number of answers that were missing in the store */
export const recoverWaiting = (context: Context, places: readonly WaitingPlace[]): Promise<number> =>
  recoverAnswers(places, {
    sum: context.sum,
    findRun: key => context.db.read(query => findRun(context, query, key)),
    keep: (run, doc, answer) => keepOldAnswer(context, run, doc, answer),
    isAlive: owner => context.db.read(query => context.owners.isAliveKey(query, owner)),
    store: answers => storeLines(context, answers),
  })

const storeLines = (context: Context, lines: readonly KeyedAnswer[]): Promise<number> =>
  context.db.write(async query => {
    const numbers = await findNumbers(
      query,
      'request',
      lines.map(({ key }) => key),
    )
    // The run may have been removed with its requests.
    const answers = lines.flatMap(({ key, digest, body, meta }) => {
      const request = numbers.get(key)
      return request === undefined ? [] : [{ request, digest, body, meta }]
    })
    if (answers.length === 0) return 0
    return (await insertAnswers(context, query, answers)).filter(isFirst => isFirst).length
  })
