/** SQL on an item `i`: whether it is answered, and which failure tells on it. For runs, see cache/run-state.ts. */

export const isAnswered = 'EXISTS (SELECT 1 FROM response s WHERE s.request = i.request)'

/** The latest failure of the item itself, or of its request in this run or for good. It counts while there is no answer. */
export const failureOfItem = `(SELECT max(f.id) FROM failure f
  WHERE f.item = i.id OR (f.request = i.request AND (f.permanent OR f.run = i.run)))`

export const isInBatch = 'EXISTS (SELECT 1 FROM batch_request q WHERE q.request = i.request)'
