import { afterEach } from 'vitest'
import { endedSinceAsked } from '../support/cli.js'

/** What the processes of a failed test said, beside what it expected: an exit status alone tells no cause. */
afterEach(({ task }) => {
  const ended = endedSinceAsked()
  if (task.result?.state !== 'fail') return
  throw new Error(
    `What its processes said:\n${ended
      .map(({ line, code, signal, stderr }) => `${line}\n  ended with ${signal ?? code}: ${stderr.slice(-1_000)}`)
      .join('\n')}`,
  )
})
