import { Command } from 'commander'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { command, formatFlagName, spellReferences, storedText } from '../../../base/errors/option-words.js'
import { commandTable } from '../../../src/cli/command-table.js'
import { commandLine, inJsonText, inStore } from '../../../src/cli/command-line-words.js'
import type { Tools } from '../../../src/cli/command.js'
import { root } from '../../support/cli.js'

/** The flags of each command by its words, such as `runs list`. */
const flagsByCommand = new Map<string, ReadonlySet<string>>()

beforeAll(async () => {
  for (const entry of commandTable) {
    const defined = new Command(entry.name)
    ;(await entry.load())(defined, { env: {}, commands: commandTable } as unknown as Tools, () => undefined)
    addFlags(defined, entry.name)
  }
})

function addFlags(defined: Command, words: string): void {
  const own = defined.options.map(option => option.long ?? '')
  flagsByCommand.set(words, new Set([...own, '--help']))
  for (const subcommand of defined.commands) addFlags(subcommand, `${words} ${subcommand.name()}`)
}

/** The texts of the sources that may print a command, without comments. */
async function readSources(): Promise<ReadonlyMap<string, string>> {
  const sources = new Map<string, string>()
  for (const folder of ['base', 'cache', 'stages', 'src'])
    for (const name of await readdir(join(root, folder), { recursive: true }))
      if (name.endsWith('.ts')) {
        const text = await readFile(join(root, folder, name), 'utf8')
        sources.set(`${folder}/${name}`, text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, ''))
      }
  return sources
}

test('every command that a message refers to exists, with its options', async () => {
  const unknown: string[] = []
  let found = 0
  for (const [file, text] of await readSources()) {
    if (!text.includes('option-words')) continue
    for (const [, name = '', , options = ''] of text.matchAll(
      /(?<![.\w])command\('([a-z][a-z -]*)'(, \[[^\]]*\])?(?:, \{([^}]*)\})?/g,
    )) {
      found += 1
      const flags = flagsByCommand.get(name)
      if (flags === undefined) unknown.push(`${file}: ${name}`)
      for (const [, key = ''] of options.matchAll(/(?:^|,)\s*(\w+)/g)) {
        const flag = `--${formatFlagName(key)}`
        if (flags?.has(flag) === false) unknown.push(`${file}: ${name} ${flag}`)
      }
    }
  }
  expect(found).toBeGreaterThan(25)
  expect(unknown).toEqual([])
})

test('every command line that stands in a message exists, with its flags', async () => {
  const unknown: string[] = []
  let found = 0
  for (const [file, text] of await readSources())
    for (const [line, words = ''] of text.matchAll(/\bpipeline ([a-z][a-z-]*(?: [a-z-]+){0,2})\b[^`'"\n]*/g)) {
      const [first = '', second = '', third = ''] = words.split(' ')
      if (!commandTable.some(({ name }) => name === first)) continue
      found += 1
      const longest = [`${first} ${second} ${third}`, `${first} ${second}`, first].find(name =>
        flagsByCommand.has(name),
      )
      const flags = flagsByCommand.get(longest ?? '')
      // Flags of a next command in the same sentence, and those of a placeholder, are not of this one.
      const own = line.split(/,| then | or |\. |; |\) |\(|—|#|:/)[0] ?? ''
      for (const [flag] of own.matchAll(/--[a-z][a-z-]+/g))
        if (flags?.has(flag) === false) unknown.push(`${file}: ${own.trim()}: ${flag}`)
    }
  expect(found).toBeGreaterThan(100)
  expect(unknown).toEqual([])
})

test('a suggested command works on the store of the command that suggests it', () => {
  const spelling = inStore('my stores/a')
  const spell = (text: string): string => spellReferences(text, spelling)
  expect(spell(command('judge', ['calm-heron']))).toBe("pipeline judge calm-heron --store 'my stores/a'")
  expect(spell(command('cache verify', [], { repair: true }))).toBe(
    "pipeline cache verify --repair --store 'my stores/a'",
  )
  expect(spell(command('runs list'))).toBe("pipeline runs list --store 'my stores/a'")
  expect(spell(command('report', ['last'], { store: 'b' }))).toBe('pipeline report last --store b')
  expect(spell(command('eval', [], { help: true }))).toBe('pipeline eval --help')
  for (const named of ['eval', 'export', 'models list', 'tasks list'])
    expect(spell(command(named))).toBe(`pipeline ${named}`)
  expect(spellReferences(command('runs list'), inJsonText(spelling))).toBe(spell(command('runs list')))
  expect(spellReferences(command('runs list'), commandLine)).toBe('pipeline runs list')
})

test('a stored reason names a command as it is typed', () => {
  const text = `Score again with: ${command('judge', ['calm-heron'], { judgeModel: 'openai' })}`
  expect(storedText(text)).toBe('Score again with: pipeline judge calm-heron --judge-model openai')
})
