/** What a person searched for is marked and in view on every page that shows texts of samples. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, openPage, startBrowser, withoutChromium } from '../../support/browser.js'
import { runCli, type Ended } from '../../support/cli.js'
import { startViewer, type ViewerProcess } from '../../support/viewer-process.js'

const filler = 'Look carefully at everything that is written here before you decide. '.repeat(400)

describe.skipIf(chromiumPath === undefined)(`a search${withoutChromium}`, () => {
  let folder: string
  /** The name of the first run. A report has no other. */
  let first: string
  let browser: Browser
  let viewer: ViewerProcess
  let page: Page
  let report: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'search-test-'))
    const rows = ['red', 'purple'].map((word, index) => ({
      id: `d${index}`,
      question: `${filler}Choose ${word}`,
      answer: word,
    }))
    await writeFile(join(folder, 'd.jsonl'), rows.map(row => `${JSON.stringify(row)}\n`).join(''))
    await writeFile(
      join(folder, 'words.yaml'),
      'task: words\ndataset_path: ./d.jsonl\ndoc_to_text: "{{question}}"\ndoc_to_target: answer\nmetric_list: [{metric: exact_match}]\nfilter_list: [{name: last, filter: [{function: regex, regex_pattern: "(\\\\w+)$"}]}]\n',
    )
    const store = join(folder, 'store')
    const run = (...args: readonly string[]): Promise<Ended> => runCli([...args, '--store', store], { cwd: folder })
    for (const name of ['first', 'second']) {
      const more = name === 'second' ? ['--new-run'] : []
      const ended = await run(
        'eval',
        '--model',
        'dummy',
        '--model-args',
        'mode=echo',
        '--tasks',
        './words.yaml',
        '--name',
        name,
        '--json',
        ...more,
      )
      const { run: stored } = JSON.parse(ended.stdout) as { readonly run: { readonly name: string } }
      if (name === 'first') first = stored.name
    }
    report = join(folder, 'report.html')
    await run('report', 'first', '--html', report)
    viewer = await startViewer(store)
    browser = await startBrowser()
    page = (await openPage(browser, { width: 1440, height: 900 })).page
    await page.goto(viewer.address)
  })

  afterAll(async () => {
    await browser.close()
    await viewer.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const isInView = (): Promise<boolean> =>
    page.evaluate<boolean>(`(() => {
      const hit = document.querySelector('mark.hit').getBoundingClientRect()
      const seen = document.elementFromPoint(hit.x + hit.width / 2, hit.y + hit.height / 2)
      return seen !== null && seen.closest('mark.hit') !== null
    })()`)

  const pages = (): readonly (readonly [string, string])[] => [
    ['the list of samples', `${viewer.origin}/ui/#/runs/first/samples?q=purple`],
    ['docs × runs', `${viewer.origin}/ui/#/docs?runs=first,second&q=purple`],
    ['a sample', `${viewer.origin}/ui/#/runs/first/samples/0/1?q=purple`],
    ['the list in a report', `${pathToFileURL(report).href}#/runs/${first}/samples?q=purple`],
    ['a sample in a report', `${pathToFileURL(report).href}#/runs/${first}/samples/0/1?q=purple`],
  ]

  it.each(['the list of samples', 'docs × runs', 'a sample', 'the list in a report', 'a sample in a report'])(
    'marks a word behind 28,000 characters and shows it: %s',
    async name => {
      const address = pages().find(([title]) => title === name)?.[1] ?? ''
      await page.goto('about:blank')
      await page.goto(address)
      await page.locator('mark.hit').first().waitFor()
      expect(await page.locator('mark.hit').first().innerText()).toBe('purple')
      await expect.poll(isInView).toBe(true)
    },
  )

  it('shows what a filter read out of an answer, before the answer', async () => {
    await page.goto('about:blank')
    await page.goto(`${viewer.origin}/ui/#/runs/first/samples`)
    await expect.poll(() => page.locator('.cell-extracted').allInnerTexts()).toContain('purple')
    await page.goto(`${viewer.origin}/ui/#/docs?runs=first,second`)
    await expect.poll(() => page.locator('.doc-cells .extracted').allInnerTexts()).toContain('purple')
  })
})
