import type { RequestStore } from '../../store.js'
import type { Context, Read } from '../connection/context.js'
import { whyMiss } from '../judging/why-miss.js'
import { answerMetas, metFailures } from './answer-metas.js'
import { answerOf } from './answer-of.js'
import { keepAnswer } from './keep-answer.js'
import { knownRequests } from './known-requests.js'
import { commitFailure, commitResponse, holds, lease, release } from './leases.js'
import { failWaiting, reopenOverBudget } from './over-budget.js'
import { failures, nextSample } from './runs.js'

export const sqliteRequests = (context: Context, read: Read): RequestStore => ({
  lease: (run, query) => lease(context, run, query),
  holds: held => holds(context, held),
  commitResponse: (held, body, meta, kept) => commitResponse(context, held, { body, meta, kept }),
  commitFailure: (held, failure) => commitFailure(context, held, failure),
  release: leases => release(context, leases),
  failWaiting: (run, failure) => failWaiting(context, run, failure),
  reopenOverBudget: run => reopenOverBudget(context, run),
  failures: run => read(() => failures(context, run)),
  answerOf: key => read(() => answerOf(context, key)),
  keepAnswer: (run, doc, answer) => keepAnswer(context, { run, doc, answer }),
  known: keys => read(() => knownRequests(context, keys)),
  answerMetas: run => answerMetas(context, run),
  metFailures: run => read(() => metFailures(context, run)),
  nextSample: () => read(() => nextSample(context)),
  whyMiss: (a, b) => whyMiss(context, a, b),
})
