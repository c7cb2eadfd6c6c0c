import { Command } from 'commander'
import { expect, test } from 'vitest'
import { refuseEmptyPaths } from '../../../../src/cli/flags/empty-paths.js'

function parse(...words: readonly string[]): void {
  const command = new Command('eval').exitOverride().enablePositionalOptions()
  command.option('-o, --output-path <dir>').option('--html <file>').option('--python <path>').option('--note <text>')
  command
    .command('inner')
    .option('--to <file>')
    .action(() => undefined)
  command.action(() => undefined)
  refuseEmptyPaths(command)
  command.parse(words, { from: 'user' })
}

test.each([
  ['--html', ['--html', '']],
  ['--html', ['--html=']],
  ['--output-path', ['-o', ' ']],
  ['--python', ['--python', '']],
  ['--to', ['inner', '--to', '']],
])('rejects an empty path in %s', (flag, words) => {
  expect(() => parse(...words)).toThrow(`${flag}: the path is empty`)
})

test('allows paths and other empty texts', () => {
  expect(() => parse('--html', 'report.html', '--note', '')).not.toThrow()
})
