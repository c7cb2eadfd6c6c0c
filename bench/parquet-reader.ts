/** A process that reads a Parquet file from end to end as docs, and says when the first came, in milliseconds from its start. */
import { openParquet } from '../stages/input/datasets/parquet/parquet.js'

const [, , file = ''] = process.argv
let firstMs = 0
let rows = 0
const docs = (await openParquet(file)).rows()[Symbol.asyncIterator]()
while ((await docs.next()).done !== true) {
  if (rows === 0) firstMs = performance.now()
  rows += 1
}
console.log(JSON.stringify({ firstMs, rows }))
