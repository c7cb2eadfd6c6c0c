import { afterEach } from 'vitest'
import { endedSinceAsked } from '../support/cli.js'

/** Adds the output of the processes to the message of a failed test, because an exit status alone shows no cause. */
afterEach(({ task }) => {
  const ended = endedSinceAsked()
  if (task.result?.state !== 'fail') return
  throw new Error(
    `What its processes said:\n${ended
      .map(({ line, code, signal, stderr }) => `${line}\n  ended with ${signal ?? code}: ${stderr.slice(-1_000)}`)
      .join('\n')}`,
  )
})
