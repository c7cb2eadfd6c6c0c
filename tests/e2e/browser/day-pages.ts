/** What people do on the viewer's pages in a day of work, as tests of the suite that calls it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Opened } from '../../support/browser.js'
import type { ViewerDay } from '../../support/viewer-day.js'

/** What the suite has started. */
export interface Started {
  readonly scene: ViewerDay
  readonly opened: Opened
  /** Opens a page, and waits for a text of it. */
  readonly show: (hash: string, text: string) => Promise<void>
}

const readRows = async (table: Locator): Promise<readonly string[][]> =>
  (await table.locator('tbody tr').allInnerTexts()).map(text => text.split('\t'))

/** Registers the tests. @param started returns what the suite has started by then */
export function testDayPages(started: () => Started): void {
  it('shows the stability of a run, with links to docs whose samples disagree', async () => {
    const { scene, opened, show } = started()
    const { page } = opened
    await show(`#/runs/${scene.repeated}`, 'Judge and labels')
    await page.getByRole('link', { name: 'Stability' }).click()
    const table = page.getByRole('table', { name: 'Stability of shapes exact_match,colour' })
    await table.waitFor()
    const values = (await readRows(table)).map(cells => cells.slice(0, 2))
    // Four docs are half right, two right and two wrong.
    expect(values.slice(0, 4)).toEqual([
      ['EA', '0.500'],
      ['CA', '0.250'],
      ['IV', '0.167'],
      ['CR', '0.500'],
    ])
    expect(values).toContainEqual(['pass@4', '0.750'])
    expect(values).toContainEqual(['pass^4', '0.250'])
    await page.getByText('2 docs confidently wrong').click()
    await page.getByText('4 docs ambiguous').click()
    await page.getByRole('link', { name: 'shape-2' }).click()
    await page.getByText('1 sample').first().waitFor()
    expect(opened.complaints()).toEqual([])
  })

  it('shows a cost histogram of samples, whose bars link to the samples in their range', async () => {
    const { scene, opened, show } = started()
    const { page } = opened
    await show(`#/runs/${scene.repeated}`, 'Distributions')
    // Each doc has four answers with 7 input and 3 output tokens.
    await page.getByRole('link', { name: 'Cost $0.000052: 8 samples' }).click()
    await page.getByText('shape-0').first().waitFor()
    await page.getByRole('button', { name: /^Remove the filter Cost/ }).waitFor()
    await expect.poll(() => page.locator('.status-line').innerText()).toContain('8 samples')
    expect(opened.complaints()).toEqual([])
  })

  it('shows labels by author beside the judge, and numbers link to their samples', async () => {
    const { scene, opened, show } = started()
    const { page } = opened
    await show(`#/runs/${scene.agent}`, 'Judge and labels')
    await page.getByRole('link', { name: 'Judge and labels' }).click()
    const people = page.getByRole('table', { name: 'Labels of sums by author' })
    await people.waitFor()
    const cells = (await readRows(people)).map(cells => cells.slice(0, 5))
    expect(cells).toEqual([
      ['Ana', '2', '1', '0', '1.000'],
      ['Ben', '1', '2', '0', '0.667'],
    ])
    const pairs = page.getByRole('table', { name: 'Agreement of people on sums' })
    expect(await pairs.locator('tbody').innerText()).toMatch(/Ana and Ben\s+3\s+0\.667/)
    await page.getByText('1 doc unclear, or people disagree').waitFor()
    await page.getByRole('table', { name: 'Docs of sums by label and judge' }).getByRole('link').last().click()
    await page.getByText('sum-3').first().waitFor()
    expect(page.url()).toContain('marked=wrong')
    expect(opened.complaints()).toEqual([])
  })

  it('shows a conversation as a tree of turns, tool calls and judge calls with their times', async () => {
    const { scene, opened, show } = started()
    const { page } = opened
    await show(`#/runs/${scene.agent}/samples/0/0`, 'What is 1 + 4?')
    const turns = page.getByRole('list', { name: 'Turns' })
    const time = String.raw`[\d.,]+ (ms|s|µs)`
    await expect.poll(() => turns.locator('summary').allInnerTexts()).toHaveLength(2)
    const [turn = '', tool = ''] = await turns.locator('summary').allInnerTexts()
    expect(turn).toMatch(new RegExp(`^1\\. Assistant calls add\\s*${time} · 3 tokens$`))
    expect(tool).toMatch(new RegExp(`^Tool add\\s*${time}$`))
    const result = turns.getByText('5', { exact: true })
    await result.waitFor()
    await turns.locator('summary').first().click()
    await expect.poll(() => result.isVisible()).toBe(false)
    const judged = page.getByRole('list', { name: 'Judge calls' })
    expect(await judged.locator('summary').first().innerText()).toMatch(
      new RegExp(`judge .*graded 1.*${time} · 3 tokens$`, 's'),
    )
    await judged.getByText('Prompt').click()
    await judged.getByText('[BEGIN ANSWER').first().waitFor()
    expect(opened.complaints()).toEqual([])
  })

  it('selects and groups columns of the leaderboard, and keeps the selection in the address', async () => {
    const { scene, opened, show } = started()
    const { page } = opened
    await show('#/leaderboard', 'leads to its samples')
    const table = page.getByRole('table', { name: 'Scores by model and task' })
    const heads = (): Promise<readonly string[]> => table.locator('thead tr').last().locator('th').allInnerTexts()
    const before = (await heads()).slice(2)
    expect(before.length).toBeGreaterThan(2)
    const [gone = ''] = before
    await page.getByText(`Columns (${before.length} of ${before.length})`).click()
    await page.getByRole('checkbox', { name: gone, exact: true }).uncheck()
    await expect.poll(heads).toEqual(['Task', 'Metric', ...before.slice(1)])
    await page.getByLabel('Group by').selectOption('tag')
    await expect.poll(() => table.locator('th[scope=colgroup]').allInnerTexts()).toContain('step:2000')
    await page.reload()
    await table.waitFor()
    expect(await heads()).not.toContain(gone)
    expect(await table.locator('th[scope=colgroup]').allInnerTexts()).toContain('step:2000')
    expect(opened.complaints()).toEqual([])
    expect(scene.runs).toHaveLength(2)
  })

  it('zooms and moves the pictures of two runs together', async () => {
    const { scene, opened, show } = started()
    const { page } = opened
    await show(`#/runs/${scene.runs[1]}/samples/0/4?against=${scene.runs[0]}`, 'Compare the pictures')
    await page.getByRole('button', { name: 'Compare the pictures' }).click()
    const places = (): Promise<readonly string[]> =>
      page.evaluate('[...document.querySelectorAll(".zoom-picture")].map(one => one.style.transform)')
    const zoom = page.getByRole('status', { name: 'Zoom' })
    await expect.poll(() => page.locator('.zoom-picture img').evaluateAll(all => all.length)).toBe(2)
    await expect.poll(() => zoom.innerText()).not.toBe('100 %')
    const [fitted] = await places()
    await page.keyboard.press('1')
    await expect.poll(() => zoom.innerText()).toBe('100 %')
    await page.mouse.move(300, 400)
    await page.mouse.wheel(0, -400)
    await expect.poll(() => zoom.innerText()).not.toBe('100 %')
    const [zoomed] = await places()
    await page.mouse.down()
    await page.mouse.move(340, 430)
    await page.mouse.up()
    const [left, right] = await places()
    expect(left).toBe(right)
    expect(new Set([fitted, zoomed, left]).size).toBe(3)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('dialog.zoom').count()).toBe(0)
    expect(opened.complaints()).toEqual([])
  })

  it('shows the command that writes a list of samples as a task', async () => {
    const { scene, opened, show } = started()
    const { page } = opened
    await show(`#/runs/${scene.repeated}/samples?only=wrong`, 'As a task')
    const shown = page.locator('.status-line')
    const docs = Number(/(\d+) wrong samples/.exec(await shown.innerText())?.[1])
    expect(docs).toBeGreaterThan(0)
    await page.getByText('As a task').click()
    const command: Locator = page.locator('.as-task code')
    const [, ...args] = (await command.innerText()).split(' ')
    expect(await scene.run(...args)).toMatchObject({ code: 0 })
    const written = await readFile(join(scene.folder, 'hard/hard.jsonl'), 'utf8')
    expect(written.trimEnd().split('\n')).toHaveLength(docs)
    expect(opened.complaints()).toEqual([])
  })
  it('loads the docs of several runs before they are printed', async () => {
    const { scene, opened, show } = started()
    const { page } = opened
    await show(`#/docs?runs=${scene.runs.join(',')}&task=shapes`, 'shape-4')
    await page.evaluate('window.printed = 0; window.print = () => { window.printed += 1 }')
    await page.keyboard.press('Control+p')
    await expect.poll(() => page.evaluate('window.printed'), { timeout: 20_000 }).toBe(1)
    await page.evaluate('dispatchEvent(new Event("beforeprint"))')
    const rows = page.locator('main .doc-prompt')
    await expect.poll(() => rows.count()).toBe(60)
    await page.evaluate('dispatchEvent(new Event("afterprint"))')
    expect(opened.complaints()).toEqual([])
  })
}
