/** The viewer's pages in a real browser, over a store that the program made. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  axeViolations,
  chromiumPath,
  inLook,
  openPage,
  startBrowser,
  withoutChromium,
  type Opened,
} from '../../support/browser.js'
import { startViewer, type ViewerProcess } from '../../support/viewer-process.js'
import { viewerScene, type ViewerScene } from '../../support/viewer-scene.js'

const pagesOf = ({ runs: [first, second] }: ViewerScene) => ({
  'the list of runs': { hash: '#/runs', shows: first },
  'a run': { hash: `#/runs/${second}`, shows: 'exact_match' },
  'wrong samples': { hash: `#/runs/${second}/samples?only=wrong`, shows: 'shape-' },
  'a sample with a picture': { hash: `#/runs/${second}/samples/0/1`, shows: 'Picture 1' },
  'a sample with a sound': { hash: `#/runs/${second}/samples/1/0`, shows: 'What is heard' },
  'a sample with a video': { hash: `#/runs/${second}/samples/1/1`, shows: 'What is shown' },
  'a hostile sample': { hash: `#/runs/${second}/samples/2/2`, shows: 'window.attacked' },
  'a comparison': { hash: `#/compare?a=${first}&b=${second}`, shows: 'better' },
  'a sample of two runs': { hash: `#/runs/${second}/samples/0/4?against=${first}`, shows: 'Picture 4' },
  tasks: { hash: '#/tasks?q=mmmu', shows: 'mmmu_val' },
  'a task': { hash: '#/tasks/mmmu_val', shows: 'What it does' },
  models: { hash: '#/models', shows: 'openai' },
  'a new run': { hash: `#/new?from=${second}`, shows: 'Command line' },
  jobs: { hash: '#/jobs', shows: 'There are no jobs' },
})

describe.skipIf(chromiumPath === undefined)(`the viewer${withoutChromium}`, () => {
  let scene: ViewerScene
  let viewer: ViewerProcess
  let browser: Browser
  let opened: Opened

  beforeAll(async () => {
    scene = await viewerScene()
    viewer = await startViewer(scene.store)
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

  it.each(['light', 'dark', 'narrow'] as const)(
    'has no barrier that axe finds, and no error, on any page: %s',
    async look => {
      const found: Record<string, readonly string[]> = {}
      for (const [name, { hash, shows }] of Object.entries(pagesOf(scene))) {
        await show(hash, shows)
        const { page, context } = await inLook(opened.page, browser, {
          theme: look === 'dark' ? 'dark' : 'light',
          width: look === 'narrow' ? 375 : 1280,
        })
        await page.getByText(shows).first().waitFor()
        const violations = await axeViolations(page)
        if (violations.length > 0) found[name] = violations
        if (look === 'narrow') {
          const width = await page.evaluate('document.documentElement.scrollWidth')
          if (width !== 375) found[`${name} is ${String(width)} pixels wide`] = []
        }
        await context.close()
      }
      expect(found).toEqual({})
      expect(opened.complaints()).toEqual([])
    },
  )

  it('shows hostile answers as text, and runs none of them', async () => {
    for (let index = 0; index < 8; index += 1) {
      await show(`#/runs/${scene.runs[1]}/samples/2/${index}`, `hostile ${index}`)
      expect(await opened.page.evaluate('window.attacked')).toBeUndefined()
    }
    await show(`#/runs/${scene.runs[1]}/samples/2/0`, '<script>window.attacked = 1</script>')
    expect(opened.complaints()).toEqual([])
  })
})
