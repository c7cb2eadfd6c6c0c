/** Runs `init` on a terminal with the answers of a person. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli } from '../support/cli.js'
import { noTerminal, typeAt } from '../support/on-terminal.js'
import { temporaryFolder } from '../support/store.js'

test.skipIf(noTerminal !== '')(
  `asks again after an invalid answer, and the resulting command works${noTerminal}`,
  async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'rows.csv'), 'question,answer\nWhat is 2 + 3?,5\nWhat is 9 - 4?,5\n')
    const steps = [
      ['model backend [dummy]:', 'dumy'],
      ['Did you mean "dummy"?', ''],
      ['data file', 'none.csv'],
      ['no file none.csv', 'rows.csv'],
      ['name of the task [rows]:', 'my sums'],
      ['a name is letters', 'sums'],
      ['write this task (yes or no) [yes]:', ''],
    ] as const
    const shown = await typeAt('init', steps, { folder })
    expect(shown).toContain('try it:  pipeline eval --config eval.yaml --limit 5')
    expect(await readFile(join(folder, 'eval.yaml'), 'utf8')).toMatch(/model: dummy\nmodel_args:\n {2}mode: target\n/)
    const first = await runCli(['eval', '--config', 'eval.yaml', '--limit', '5'], { cwd: folder })
    expect(first.stdout).toMatch(/sums +numeric_match +1\.000/)
  },
)

test.skipIf(noTerminal !== '')(`writes nothing if the input ends${noTerminal}`, async () => {
  const folder = await temporaryFolder()
  // Ctrl-D at the beginning of a line ends the input of a terminal.
  const shown = await typeAt('init', [['model backend [dummy]:', '\u0004']], { folder })
  expect(shown).toContain('Nothing was written')
})
