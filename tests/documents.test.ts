import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { unusedFlags } from '../src/cli/flags/unused-flags.js'
import { configSchema } from '../src/config/file/config-schema.js'
import { taskKeys } from '../stages/input/tasks/schema.js'
import { findBackend, listBackends } from '../stages/model/registry.js'
import { allCommands, readCliPages, sectionOf, splitFlags, updatedCliPage } from './support/cli-docs.js'
import { root } from './support/cli.js'
import { anchorOf, anchorsIn, linksIn, readPage, readPages, sectionsIn, type Page } from './support/documents.js'
import { builtInJudges } from './support/scorer.js'

describe('docs/cli/', () => {
  test('has one section per command, with the flags that no other section describes', async () => {
    const commands = await allCommands()
    const pages = [...readCliPages().values()]
    const problems = [...commands.keys()].flatMap(line => {
      const [section, ...others] = pages.flatMap(text => sectionOf(text, line) ?? [])
      if (section === undefined || others.length > 0) return [`${line}: ${others.length + 1} sections, or none`]
      const { own, shared } = splitFlags(line, commands)
      const names = own.flatMap(({ short, long }) => [short ?? [], long ?? []].flat())
      const missing = names.filter(name => !new RegExp(`\`${name}[ \`]`).test(section))
      const unlinked = shared.filter(({ home }) => !section.includes(home.link)).map(({ home }) => home.line)
      return [...missing, ...unlinked].map(name => `${line}: ${name}`)
    })
    expect(problems).toEqual([])
  })

  test('has the flags of the options (npm run cli-docs -- --write)', async () => {
    const commands = await allCommands()
    const pages = [...readCliPages()]
    expect(pages.map(([name, text]) => [name, updatedCliPage(text, commands)])).toEqual(pages)
  })

  test('gets a missing flag beside its neighbour in the help, and loses a duplicate row', async () => {
    const { text } = readPage('docs/cli/eval.md')
    const broken = text.replace(/^\| `--docs .*\n/m, '').replace(/^\| `--new-run`.*\n/m, '$&$&')
    expect(updatedCliPage(broken, await allCommands())).toBe(text)
  })

  test('names no unknown flag', async () => {
    const options = [...(await allCommands()).values()].flatMap(command => command.options)
    const known = new Set([...options.flatMap(({ long }) => long ?? []), '--help', '--version'])
    const named = [...readCliPages()].flatMap(([name, text]) =>
      [...text.matchAll(/`(--[a-z-]+)[` ]/g)].map(([, flag = '']) => ({ name, flag })),
    )
    expect(named.filter(({ flag }) => !known.has(flag))).toEqual([])
  })

  test('lists accepted flags without effect as such', () => {
    const [line = ''] =
      /^These flags of lmms-eval are accepted and ignored.*$/m.exec(readPage('docs/cli/eval.md').text) ?? []
    const named = [...line.matchAll(/`(--[a-z-]+)`/g)].map(([, flag]) => flag)
    expect(named).toEqual(unusedFlags.map(({ flags }) => /--[a-z-]+/.exec(flags)?.[0]))
  })

  test('has every key of a configuration file', () => {
    const { text } = readPage('docs/cli/configuration.md')
    expect(Object.keys(configSchema.shape).filter(key => !text.includes(`\`${key}\``))).toEqual([])
  })
})

test('docs/tasks/ has every key of a task file, every metric, filter and aggregation', () => {
  const { metrics, filters, aggregations } = builtInJudges
  const missingIn = (page: string, names: Iterable<string>): readonly string[] => {
    const { text } = readPage(`docs/tasks/${page}`)
    return [...names].filter(name => !text.includes(`\`${name}\``)).map(name => `${page}: ${name}`)
  }
  expect([
    ...missingIn('keys.md', taskKeys),
    ...missingIn('metrics.md', metrics.keys()),
    ...missingIn('filters.md', filters.keys()),
    ...missingIn('aggregations.md', aggregations.keys()),
  ]).toEqual([])
})

test('docs/models/ has every backend with every argument', async () => {
  const pages = readPages('docs/models')
  const backends = await Promise.all(listBackends([]).map(({ id }) => findBackend(id, [])))
  const missing = backends.flatMap(({ id, aliases = [], args }) => {
    const own = backendText(id, pages)
    return [...aliases, ...Object.keys(args)].filter(name => !own.includes(`\`${name}\``)).map(name => `${id} ${name}`)
  })
  expect(missing).toEqual([])
})

/** Returns the sections that name a backend, and the sections of arguments to which they link. */
function backendText(id: string, pages: readonly Page[]): string {
  const found = new Set<string>()
  const follow = (page: Page, section: string): void => {
    if (found.has(section)) return
    found.add(section)
    for (const { words, path, anchor } of linksIn(section)) {
      if (!/\barguments\b/.test(words) || anchor === undefined) continue
      const target = path === '' ? page : pages.find(other => other.path === join(page.path, '..', path))
      if (target === undefined) continue
      for (const part of sectionsIn(target.text, heading => anchorOf(heading) === anchor)) follow(target, part)
    }
  }
  for (const page of pages)
    for (const section of sectionsIn(page.text, heading => heading.includes(`\`${id}\``))) follow(page, section)
  return [...found].join('\n')
}

const documents = [...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map(readPage), ...readPages('docs')]

test('links between documents lead to existing files and headings', () => {
  const broken = documents.flatMap(({ path, text }) =>
    linksIn(text)
      .filter(link => {
        const target = link.path === '' ? path : join(path, '..', link.path)
        if (!existsSync(join(root, target))) return true
        return link.anchor !== undefined && !anchorsIn(readPage(target).text).includes(link.anchor)
      })
      .map(link => `${path}: ${link.path}#${link.anchor ?? ''}`),
  )
  expect(broken).toEqual([])
})

// lmms-eval has pages in docs/advanced/.
test('sources and the changelog name existing pages of the documents', () => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
    .toString()
    .split('\n')
    .filter(file => /\.(tsx?|py|mjs|ya?ml|md)$/.test(file) && existsSync(join(root, file)))
  const broken = files.flatMap(file =>
    [...readPage(file).text.matchAll(/(?<![\w/.-])docs\/(?!advanced\/)(?:[\w-]+\/)*[\w-]+\.md\b/g)]
      .filter(([page]) => !existsSync(join(root, page)))
      .map(([page]) => `${file}: ${page}`),
  )
  expect(broken).toEqual([])
})

test('a page has at most 2,500 words, and the index of a folder at most 60 lines', () => {
  // This page contains a table of measurements.
  const tables = new Set(['docs/parity.md'])
  const words = (text: string): number => text.split(/\s+/).filter(word => word !== '|').length
  const isLong = ({ path, text }: Page): boolean =>
    /^docs\/(?:cli|models|tasks)\/README\.md$/.test(path)
      ? text.trimEnd().split('\n').length > 60
      : path.startsWith('docs/') && !tables.has(path) && words(text) > 2_500
  expect(documents.filter(isLong).map(({ path }) => path)).toEqual([])
})
