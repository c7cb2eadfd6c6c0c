import type { RecordKey } from '../digest.js'
import { judgeRecordKey, type Keyed } from '../keys.js'
import type { Failure, Run } from '../records.js'
import { requestKeys, type RequestKeys } from '../request-keys.js'
import type { DraftDoc, DraftRequest, SourceFile } from '../store.js'

/** A request with its keys, or the reason why there is none. */
export interface KeyedRequest {
  readonly choice: number
  readonly sample: number
  readonly keys?: RequestKeys
  readonly failure?: Failure
}

/** A doc with the keys of its requests. */
export interface KeyedDoc {
  readonly index: number
  readonly id: string
  readonly record: Keyed<RecordKey>
  readonly requests: readonly KeyedRequest[]
  readonly files: readonly SourceFile[]
}

/** Computes the keys of docs. It takes a while, so it is done before the transaction. */
export function keyedDocs(run: Run, docs: readonly DraftDoc[]): readonly KeyedDoc[] {
  const keys = requestKeys(run.asked)
  return docs.map(doc => ({
    index: doc.index,
    id: doc.id,
    record: judgeRecordKey(doc.record),
    requests: doc.requests.map(request => keyedRequest(request, keys)),
    files: doc.files ?? [],
  }))
}

function keyedRequest(request: DraftRequest, keys: ReturnType<typeof requestKeys>): KeyedRequest {
  const { choice, sample } = request
  if ('failure' in request) return { choice, sample, failure: request.failure }
  return { choice, sample, keys: keys({ ...request, sample: request.draw ?? sample }) }
}
