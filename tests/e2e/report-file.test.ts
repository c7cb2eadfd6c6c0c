/** The report in one HTML file, opened from disk in a browser without a network. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { chromiumPath, openPage, startBrowser, withoutChromium, type Opened } from '../support/browser.js'
import { hostileAnswers, viewerScene, type ViewerScene } from '../support/viewer-scene.js'

describe.skipIf(chromiumPath === undefined)(`a report in one file${withoutChromium}`, () => {
  let scene: ViewerScene
  let browser: Browser
  let file: string
  let said: string
  let single: string

  beforeAll(async () => {
    scene = await viewerScene({ docs: 30 })
    browser = await startBrowser()
    file = join(scene.folder, 'report.html')
    const ended = await scene.run('report', ...scene.runs, '--html', file)
    expect(ended).toMatchObject({ code: 0, stdout: '' })
    said = ended.stderr
    single = join(scene.folder, 'single.html')
    expect((await scene.run('report', scene.runs[0], '--html', single)).code).toBe(0)
    // Everything that the file shows is in the file.
    await rm(scene.store, { recursive: true })
  })
  afterAll(async () => {
    await browser.close()
    await scene.close()
  })

  async function opened(hash = ''): Promise<Opened> {
    const one = await openPage(browser)
    onTestFinished(() => one.close())
    await one.page.context().setOffline(true)
    await one.page.goto(`${pathToFileURL(file).href}${hash}`)
    return one
  }

  const textOf = (page: Page): Promise<string> => page.locator('main').innerText()

  test('prints the size of the file and what it leaves out', () => {
    expect(said).toMatch(/^written to report\.html \([\d.]+ (kB|MB), 80 samples\)$/m)
  })

  test('the list of samples has pictures, and filters find matching samples', async () => {
    const one = await opened(`#/runs/${scene.runs[0]}/samples?task=shapes`)
    const { page } = one
    const pictures = page.locator('main img')
    await pictures.first().waitFor()
    await expect.poll(() => page.evaluate('document.querySelector("main img").naturalWidth')).toBeGreaterThan(0)
    await page.goto(`${page.url().split('#')[0] ?? ''}#/runs/${scene.runs[0]}/samples?task=shapes&only=wrong`)
    const rows = page.locator('[role=row]')
    await expect.poll(async () => rows.count()).toBeLessThan(30)
    expect(one.complaints()).toEqual([])
  })

  test('decompresses a sample with its answer', async () => {
    const one = await opened(`#/runs/${scene.runs[0]}/samples/0/0`)
    const { page } = one
    await expect.poll(() => textOf(page)).toContain('what colour is the shape?')
    expect(one.complaints()).toEqual([])
  })

  test('the page of a run shows its scores', async () => {
    const one = await opened(`#/runs/${scene.runs[0]}`)
    const { page } = one
    await page.locator('main table').first().waitFor()
    expect(await textOf(page)).toContain('exact_match')
    expect(one.complaints()).toEqual([])
  })

  test('a report of one run opens at that run, with its list one click away', async () => {
    const one = await openPage(browser)
    onTestFinished(() => one.close())
    await one.page.goto(pathToFileURL(single).href)
    await one.page.getByText('Provenance').waitFor()
    expect(one.page.url()).toMatch(new RegExp(`#/runs/${scene.runs[0]}$`))
    await one.page.getByRole('link', { name: 'Runs' }).click()
    await one.page.getByRole('heading', { name: 'Runs' }).waitFor()
    expect(one.complaints()).toEqual([])
  })

  test.each([
    ['samples', 'runs/A/samples', ['shape-29']],
    ['a run whose breakdowns are folded', 'runs/A?open=none', ['exact_match', 'triangle', 'Dataset']],
    ['a sample', 'runs/A/samples/0/3', ['shape-3', 'what colour is the shape?']],
    ['two runs', 'compare?a=A&b=B', ['What differs', 'Flipped samples', 'shape-1']],
  ])('the printed page of %s is complete and no wider than the sheet', async (_what, address, shown) => {
    const one = await opened(`#/${address.replace('A', scene.runs[0]).replace('B', scene.runs[1])}`)
    const { page } = one
    await page.locator('main [role=row], main table, main .safe-text').first().waitFor()
    await page.setViewportSize({ width: 700, height: 300 })
    await page.emulateMedia({ media: 'print' })
    await page.evaluate('dispatchEvent(new Event("beforeprint"))')
    for (const text of shown) await expect.poll(() => textOf(page)).toContain(text)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(700)
    // Nothing scrolls within the page, and nothing is cut at its right.
    expect(
      await page.evaluate(
        '[...document.querySelectorAll("main, main *")].filter(e => e.clientHeight > 1 && (e.scrollHeight > e.clientHeight + 2 && getComputedStyle(e).overflowY !== "visible" || e.scrollWidth > e.clientWidth + 2 && getComputedStyle(e).overflowX !== "visible")).map(e => e.className)',
      ),
    ).toEqual([])
    const pictures = await page.evaluate<readonly number[]>(
      '[...document.querySelectorAll("main img")].map(one => one.clientWidth)',
    )
    expect(pictures.filter(width => width === 0)).toEqual([])
    expect(pictures.length > 0).toBe(!address.includes('?'))
    await page.evaluate('dispatchEvent(new Event("afterprint"))')
    expect(one.complaints()).toEqual([])
  })

  test('the printed page of a sample has all of a long text that the file has', async () => {
    const { page } = await opened(`#/runs/${scene.runs[0]}/samples/2/${hostileAnswers.length}`)
    await page.getByRole('button', { name: /^Show/ }).first().waitFor()
    expect((await textOf(page)).length).toBeLessThan(50_000)
    await page.evaluate('dispatchEvent(new Event("beforeprint"))')
    await expect.poll(async () => (await textOf(page)).length).toBeGreaterThan(100_000)
    expect(/These are the first [\d,]+ of [\d,]+/.exec(await textOf(page))?.[0]).toBe(
      'These are the first 100,000 of 10,000,003',
    )
  })

  test('contains the comparison with the first run', async () => {
    const one = await opened(`#/compare?a=${scene.runs[0]}&b=${scene.runs[1]}`)
    const { page } = one
    await page.locator('main table').first().waitFor()
    expect(one.complaints()).toEqual([])
  })

  test.each([...hostileAnswers.keys()])('the hostile answer %i executes nothing', async index => {
    const one = await opened(`#/runs/${scene.runs[0]}/samples/2/${index}`)
    const { page } = one
    await expect.poll(() => textOf(page)).toContain(`hostile ${index}`)
    expect(await page.evaluate('window.attacked')).toBeUndefined()
    expect(one.complaints()).toEqual([])
  })

  test('no text of the data can close its element or load anything', async () => {
    const text = await readFile(file, 'utf8')
    const data = /<script type="application\/json" id="report-data">(.*?)<\/script>/s.exec(text)?.[1] ?? ''
    expect(data).not.toMatch(/[<\u2028\u2029]/)
    expect(JSON.parse(data)).toHaveProperty('runs')
    expect(text).toContain(`content="default-src 'none'; script-src 'sha256-`)
    expect(text).not.toMatch(/<(?:script|img|link|iframe)[^>]*\s(?:src|href)=/)
  })

  test('a script added to the file does not run', async () => {
    const changed = join(scene.folder, 'changed.html')
    const text = await readFile(file, 'utf8')
    await writeFile(
      changed,
      text.replace('</body>', () => '<script>window.attacked = 1</script></body>'),
    )
    const one = await openPage(browser)
    onTestFinished(() => one.close())
    await one.page.goto(pathToFileURL(changed).href)
    await one.page.locator('main').waitFor()
    expect(await one.page.evaluate('window.attacked')).toBeUndefined()
    expect(one.complaints().join()).toContain('Content Security Policy')
  })
})
