import { digestBytes } from '../../digest.js'
import { answerDigest } from '../../keys.js'
import type { Run } from '../../records.js'
import type { DraftDoc, StoredAnswer } from '../../store.js'
import { answerOf } from './answer-of.js'
import type { Context } from '../connection/context.js'
import { insertDocs, keyedDocs, saveProgress } from './docs.js'
import { numberOf } from './interning.js'
import { insertResponse } from './responses.js'
import { toText } from '../rows.js'

/** Keeps a request that was answered, as an item of a run. @returns the answer that holds: the first under its key. */
export async function keepAnswer(
  context: Context,
  { run, doc, answer }: { readonly run: Run; readonly doc: DraftDoc; readonly answer: StoredAnswer },
): Promise<StoredAnswer> {
  const [keyed] = keyedDocs(run, [doc])
  const key = keyed?.requests[0]?.keys?.response
  if (keyed === undefined || key === undefined) throw new Error('internal error: an answer was kept without a request')
  const { key: digest, preimage: bodyText } = answerDigest(answer.body)
  const metaText = toText(answer.meta)
  return context.commit.add(() => {
    insertDocs(context, { run, task: 0, docs: [keyed] })
    // What comes later comes for the sake of others: nobody waits for it here.
    saveProgress(context, { run: run.ref, task: 0, docs: keyed.index, finished: true })
    const request = numberOf(context, 'request', digestBytes(key))
    if (insertResponse(context, { request, digest, body: bodyText, meta: metaText })) return answer
    const earlier = answerOf(context, key)
    if (earlier === undefined || !('body' in earlier)) throw new Error('internal error: response vanished')
    return earlier
  })
}
