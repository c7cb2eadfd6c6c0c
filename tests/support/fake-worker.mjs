/** A worker for tests of the pool: the first argument says what it does. It gives the signs that a real one gives. */
import { existsSync, writeFileSync } from 'node:fs'

const [, , does, mark] = process.argv
const isFirst = !existsSync(mark)
writeFileSync(mark, `${process.pid}`)
process.send({ state: 'idle' })
const live = () => {
  process.send({ state: 'busy', job: 'a' })
  setInterval(() => process.send({ state: 'alive' }), 20)
}
if (does === 'hang' && isFirst) process.send({ state: 'busy', job: 'a' })
else if (does === 'fail' || (does === 'fail-once' && isFirst)) {
  process.stderr.write('error: no space left\n', () => process.exit(1))
} else live()
process.on('disconnect', () => process.exit(0))
