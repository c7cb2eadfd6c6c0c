/** A process that reads a Parquet file completely as docs. It prints the milliseconds from its start to the first doc. */
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
