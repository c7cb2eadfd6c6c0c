/** SQL for an item `i`: whether it is answered, and which failure applies to it. For runs, see cache/facts/run-state.ts. */

export const isAnswered = 'EXISTS (SELECT 1 FROM response s WHERE s.request = i.request)'

/** SQL for the latest failure of an item `i`, of its request in this run, or of its request permanently. A failure counts only while there is no answer. */
export const failureOfItem = `greatest(
  (SELECT max(f.id) FROM failure f WHERE f.item = i.id),
  (SELECT max(f.id) FROM failure f WHERE f.request = i.request AND (f.permanent = 1 OR f.run = i.run)))`

/** SQL for the items `i` of run $1 that may have failed, without those that are answered. It begins with the failures, because a young run has many open items. */
export const failedItems = `item i
  WHERE i.id IN (
      SELECT f.item FROM failure f WHERE f.run = $1
      UNION SELECT o.id FROM failure f JOIN item o ON o.request = f.request WHERE (f.permanent = 1 OR f.run = $1) AND o.run = $1)
    AND i.run = $1 AND NOT ${isAnswered}`

export const isInBatch = 'EXISTS (SELECT 1 FROM batch_request q WHERE q.request = i.request)'

/** The columns of a failure `f`, in the form of `FailureRow`. */
export const failureColumns = 'f.id, f.run, f.item, f.request, f.class, f.message, f.attempts, f.permanent, f.sum'
