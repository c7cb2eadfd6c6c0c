/** The viewer's pages in a real browser, over a store that the program made. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  axeViolations,
  chromiumPath,
  openPage,
  startBrowser,
  withoutChromium,
  type Look,
  type Opened,
} from '../../support/browser.js'
import { root } from '../../support/cli.js'
import { startViewer, type ViewerProcess } from '../../support/viewer-process.js'
import { viewerDay, type ViewerDay } from '../../support/viewer-day.js'
import { testDayPages } from './day-pages.js'

const pagesOf = ({ runs: [first, second], repeated, agent }: ViewerDay) => ({
  'the list of runs': { hash: '#/runs', shows: first },
  'a run': { hash: `#/runs/${second}`, shows: 'exact_match' },
  'wrong samples': { hash: `#/runs/${second}/samples?only=wrong`, shows: 'shape-' },
  'a sample with a picture': { hash: `#/runs/${second}/samples/0/1`, shows: 'Picture 1' },
  'a sample with a sound': { hash: `#/runs/${second}/samples/1/0`, shows: 'What is heard' },
  'a sample with a video': { hash: `#/runs/${second}/samples/1/1`, shows: 'What is shown' },
  'a hostile sample': { hash: `#/runs/${second}/samples/2/2`, shows: 'window.attacked' },
  'the leaderboard': { hash: '#/leaderboard', shows: 'leads to its samples' },
  'scores over steps': { hash: '#/steps?by=none', shows: 'shapes exact_match,colour' },
  'docs of two runs': { hash: `#/docs?runs=${first},${second}`, shows: 'shape-4' },
  'a comparison': { hash: `#/compare?a=${first}&b=${second}`, shows: 'What differs' },
  'a plan from assumptions': { hash: '#/planning?docs=1000', shows: 'Smallest difference' },
  'a plan from two runs': { hash: `#/planning?run=${first}&against=${second}`, shows: 'Docs needed' },
  'a sample of two runs': { hash: `#/runs/${second}/samples/0/4?against=${first}`, shows: 'Picture 4' },
  'a conversation that a judge graded': { hash: `#/runs/${agent}/samples/0/0`, shows: 'calls add' },
  'the stability of a run': { hash: `#/runs/${repeated}/stability`, shows: 'pass@4' },
  'judge and labels': { hash: `#/runs/${agent}/calibration`, shows: 'Ana and Ben' },
  tasks: { hash: '#/tasks?q=mmmu', shows: 'mmmu_val' },
  'a task': { hash: '#/tasks/mmmu_val', shows: 'What it does' },
  models: { hash: '#/models', shows: 'openai' },
  'a new run': { hash: `#/new?from=${second}`, shows: 'pipeline eval --model openai' },
  jobs: { hash: '#/jobs', shows: 'State' },
})

const looks: readonly { readonly name: string; readonly look: Look }[] = [
  { name: 'light', look: { theme: 'light' } },
  { name: 'dark', look: { theme: 'dark' } },
  { name: 'narrow', look: { width: 375, height: 700 } },
]

it('has at most 300 KB of scripts and styles, compressed', async () => {
  const assets = join(root, 'dist/web/viewer/assets')
  const sizes = await Promise.all(
    (await readdir(assets)).map(async name => gzipSync(await readFile(join(assets, name))).length),
  )
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(300_000)
})

describe.skipIf(chromiumPath === undefined)(`the viewer${withoutChromium}`, () => {
  let scene: ViewerDay
  let viewer: ViewerProcess
  let browser: Browser
  let opened: Opened

  beforeAll(async () => {
    scene = await viewerDay()
    for (const [at, step] of [1000, 2000].entries())
      await scene.run('runs', 'tag', scene.runs[at] ?? '', `step:${step}`)
    viewer = await startViewer(scene.store, scene.allowFlags)
    browser = await startBrowser()
    opened = await openPage(browser)
    await opened.page.goto(viewer.address)
  })

  afterAll(async () => {
    await browser.close()
    await viewer.stop()
    await scene.close()
  })

  const show = async (hash: string, text: string): Promise<void> => {
    await opened.page.goto(`${viewer.origin}/ui/${hash}`)
    await opened.page.getByText(text).first().waitFor()
  }

  it.each(looks)('has no accessibility problem found by axe and no error on any page, $name', async ({ look }) => {
    const own = await openPage(browser, look, opened.page)
    const found: Record<string, readonly string[]> = {}
    for (const [name, { hash, shows }] of Object.entries(pagesOf(scene))) {
      await own.page.goto(`${viewer.origin}/ui/${hash}`)
      const isShown = await own.page
        .getByText(shows)
        .first()
        .waitFor({ timeout: 10_000 })
        .then(
          () => true,
          () => false,
        )
      const width = await own.page.evaluate<number>('document.documentElement.scrollWidth')
      const problems = [
        ...(isShown ? [] : [`it does not show "${shows}"`]),
        ...(await axeViolations(own.page)),
        ...(width > (look.width ?? 1280) ? [`it is ${width} pixels wide`] : []),
        ...own.complaints(),
      ]
      if (problems.length > 0) found[name] = problems
    }
    await own.close()
    expect(found).toEqual({})
  })

  it('shows the model that the server says answered, if it is not the requested one', async () => {
    await show(`#/runs/${scene.runs[0]}`, 'Answered by')
    const text = await opened.page.locator('.provenance').innerText()
    expect(text).toMatch(/fake \(\d+ answers\), as the server says: not the name that was asked/)
  })

  it('shows histograms whose bars open their samples with the keyboard alone', async () => {
    const { page } = opened
    await show(`#/runs/${scene.runs[1]}`, 'Distributions')
    await page.locator('.distributions select').selectOption('shapes')
    const bar = page.locator('a[href*="task=shapes"]').and(page.getByRole('link', { name: /^Score 0: \d+ samples$/ }))
    await bar.waitFor()
    const count = Number(/: (\d+)/.exec((await bar.getAttribute('aria-label')) ?? '')?.[1])
    await bar.focus()
    await page.keyboard.press('Enter')
    await page.getByText('shape-1').first().waitFor()
    await expect.poll(() => page.locator('.status-line').innerText()).toContain(`${count} samples`)
    await page.getByRole('button', { name: /^Remove the filter Score/ }).click()
    await expect.poll(() => page.url()).not.toContain('range.')
    expect(opened.complaints()).toEqual([])
  })

  it('shows scores over steps given as tags, and a score links to its run', async () => {
    const { page } = opened
    await show('#/leaderboard', 'Scores over steps')
    await page.getByRole('link', { name: 'Scores over steps' }).click()
    await page.getByRole('heading', { name: 'shapes exact_match,colour' }).waitFor()
    await page.getByLabel('A line for each').selectOption('none')
    const table = page.getByRole('table', { name: 'shapes exact_match,colour over steps' })
    await expect.poll(() => table.locator('th[scope=row]').allInnerTexts()).toEqual(['1,000', '2,000'])
    expect(await table.innerText()).toMatch(/2,000\s+0\.767\s+0\.646 – 0\.856\s+60/)
    await table.getByRole('link', { name: scene.runs[1] }).click()
    await page.getByRole('heading', { name: scene.runs[1] }).waitFor()
    expect(opened.complaints()).toEqual([])
  })

  it('works with the keyboard alone: finds, opens and labels a wrong sample, and updates the list', async () => {
    const { page } = opened
    await show(`#/runs/${scene.runs[1]}/samples?only=wrong&task=shapes`, 'shape-1')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'shape-7' }).waitFor()
    await page.keyboard.press('w')
    const labelled = async (): Promise<string> => (await scene.run('labels', 'list', '--json')).stdout
    await expect.poll(labelled, { timeout: 20_000 }).toContain('"wrong"')
    expect(await labelled()).toContain('shape-7')
    await page.goBack()
    await page.getByText('shape-13').first().waitFor()
    expect(page.url()).toContain('only=wrong')
    await show(`#/runs/${scene.runs[1]}/samples?only=labelled`, 'shape-7')
    expect(opened.complaints()).toEqual([])
  })

  it('one key opens the next sample without a label, also in the list of unlabelled samples', async () => {
    const { page } = opened
    const stored = async (): Promise<string> => (await scene.run('labels', 'list', '--json')).stdout
    const title = (name: string) => page.getByRole('heading', { name: new RegExp(`^${name}( |$)`) })
    await show(`#/runs/${scene.runs[0]}/samples/0/20?task=shapes`, 'Picture 20')
    await page.getByText('21 of 60').waitFor()
    await page.keyboard.press('r')
    await expect.poll(stored, { timeout: 20_000 }).toContain('shape-20')
    await page.keyboard.press('k')
    await title('shape-19').waitFor()
    await page.keyboard.press('v')
    await title('shape-21').waitFor()
    await show(`#/runs/${scene.runs[0]}/samples/0/30?task=shapes&only=unlabelled`, 'Picture 30')
    await page.getByText(/ of \d+ unlabelled/).waitFor()
    await page.keyboard.press('u')
    await expect.poll(stored, { timeout: 20_000 }).toContain('shape-30')
    await page.getByRole('button', { name: 'Next unlabelled' }).click()
    await title('shape-31').waitFor()
    expect(opened.complaints()).toEqual([])
  })

  it('labels with a note with the keyboard alone, and updates the counts', async () => {
    const { page } = opened
    await show(`#/runs/${scene.runs[0]}/samples?task=shapes`, 'shape-1')
    const labelled = page.getByRole('button', { name: /^Labelled/ })
    const count = async (): Promise<number> => Number(/\d+$/.exec(await labelled.innerText())?.[0] ?? NaN)
    // The counts are loaded after the rows, and the keys with them.
    await expect.poll(count, { timeout: 20_000 }).toBeGreaterThanOrEqual(0)
    await page.keyboard.press('n')
    await page.locator('dialog textarea:focus').waitFor()
    await page.keyboard.type('the star is blue')
    await page.keyboard.press('Enter')
    const stored = async (): Promise<string> =>
      (await scene.run('labels', 'list', '--run', scene.runs[0], '--json')).stdout
    await expect.poll(stored, { timeout: 20_000 }).toContain('the star is blue')
    // Both runs have the same answer to shape-7, which another test labels, so that this run counts that label, too.
    const labels = [...(await stored()).matchAll(/"doc_id"/g)].length
    await expect.poll(count, { timeout: 20_000 }).toBe(labels)
    expect(await page.locator('dialog').count()).toBe(0)
    expect(opened.complaints()).toEqual([])
  })

  it('shows an empty form after that of another run, and problems only on start', async () => {
    const { page } = opened
    await show(`#/new?from=${scene.runs[0]}`, 'pipeline eval --model openai')
    await page.getByRole('link', { name: 'New run' }).click()
    await page.getByRole('heading', { name: 'New run', exact: true }).waitFor()
    await expect.poll(() => page.locator('.code').first().innerText(), { timeout: 20_000 }).toBe('pipeline eval')
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('alert').first().waitFor()
    expect(opened.complaints()).toEqual([])
  })

  testDayPages(() => ({ scene, opened, show }))

  it('starts a run with the settings of another one, and shows its job and the run', async () => {
    const { page } = opened
    await show(`#/new?from=${scene.runs[0]}`, 'pipeline eval --model openai')
    await page.getByLabel('model', { exact: true }).fill('third')
    await page.getByText('model=third').first().waitFor()
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByText('completed').last().waitFor({ timeout: 60_000 })
    await page.getByRole('link', { name: 'show' }).first().click()
    await page.getByText('openai third').first().waitFor()
    expect(opened.complaints()).toEqual([])
  })

  it('links from selected runs to the docs on which they disagree, and from a cell to its sample', async () => {
    const { page } = opened
    await show('#/runs', scene.runs[0])
    for (const run of scene.runs) await page.getByLabel(`Choose ${run} for a comparison`).check()
    await page.getByRole('link', { name: 'Docs × runs' }).click()
    await page.getByRole('button', { name: /^Runs disagree/ }).click()
    await page.getByText('10 docs').waitFor()
    await page.getByRole('link', { name: `shape-4 in ${scene.runs[1]}` }).click()
    await page.getByRole('heading', { name: 'shape-4' }).waitFor()
    expect(page.url()).toContain(scene.runs[1])
    await page.getByText('This doc in all other runs').click()
    await page.getByRole('link', { name: `compare with ${scene.runs[0]}` }).click()
    await page.getByRole('heading', { name: new RegExp(`^${scene.runs[0]}`) }).waitFor()
    expect(opened.complaints()).toEqual([])
  })

  it('notices a run of another process, and shows it on request', async () => {
    const { page } = opened
    await show('#/runs', scene.runs[0])
    const made = await scene.run('eval', ...scene.modelFlags('elsewhere'), '--tasks', './hostile', '--quiet')
    expect(made.code).toBe(0)
    await page.getByRole('button', { name: /new run/ }).click()
    await page.getByText('openai elsewhere').first().waitFor()
    expect(opened.complaints()).toEqual([])
  })

  it('shows the same page to everyone who opens the same address', async () => {
    const hash = `#/runs/${scene.runs[1]}/samples?only=improved&against=${scene.runs[0]}&sort=change`
    await show(hash, 'shape-4')
    const rows = (page: Opened['page']): Promise<string[]> => page.getByRole('row').allInnerTexts()
    const seen = await rows(opened.page)
    const other = await openPage(browser, {}, opened.page)
    await other.page.goto(opened.page.url())
    await other.page.getByText('shape-4').first().waitFor()
    await expect.poll(() => rows(other.page), { timeout: 20_000 }).toEqual(seen)
    // The second model is right about nine pictures and a video that the first one is wrong about.
    expect(seen.filter(row => /shape-|shown/.test(row))).toHaveLength(10)
    await other.close()
  })

  it('shows hostile answers as text and executes none of them', async () => {
    for (let index = 0; index < 8; index += 1) {
      await show(`#/runs/${scene.runs[1]}/samples/2/${index}`, `hostile ${index}`)
      expect(await opened.page.evaluate('window.attacked')).toBeUndefined()
    }
    await show(`#/runs/${scene.runs[1]}/samples/2/0`, '<script>window.attacked = 1</script>')
    expect(opened.complaints()).toEqual([])
  })
})
