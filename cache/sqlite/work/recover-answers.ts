import type { WaitingPlace } from '../../waiting-answers/places.js'
import { recoverAnswers } from '../../waiting-answers/read-answers.js'
import type { Context } from '../connection/context.js'
import { findRequest } from './interning.js'
import { keepAnswer } from './requests.js'
import { findRun } from './runs.js'
import { insertResponse } from './stored-rows.js'

/**
 * Stores the answers that ended processes could not store, such as on a full disk.
 *
 * @returns the number of answers that were missing in the store
 */
export const recoverWaiting = (context: Context, places: readonly WaitingPlace[]): Promise<number> =>
  recoverAnswers(places, {
    sum: context.sum,
    findRun: key => Promise.resolve(findRun(context, key)),
    keep: (run, doc, answer) => keepAnswer(context, { run, doc, answer }),
    isAlive: owner => Promise.resolve(context.owners.isAliveKey(owner)),
    store: answers =>
      context.commit.add(() => {
        // The run may have been removed with its requests.
        const inserted = answers.filter(({ key, ...answer }) => {
          const request = findRequest(context, key)
          return request !== undefined && insertResponse(context, { request, ...answer })
        })
        return inserted.length
      }),
  })
