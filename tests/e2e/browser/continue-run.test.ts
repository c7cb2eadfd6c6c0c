/** The page of a run that stopped: why it stopped, and the button that continues it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  axeViolations,
  chromiumPath,
  openPage,
  startBrowser,
  withoutChromium,
  type Opened,
} from '../../support/browser.js'
import { runCli } from '../../support/cli.js'
import { spawnFakeOpenai, type FakeOpenaiProcess } from '../../support/fake-openai-process.js'
import { writeTextTask } from '../../support/text-task.js'
import { startViewer } from '../../support/viewer-process.js'

const docs = 30

describe.skipIf(chromiumPath === undefined)(`the page of a run that stopped${withoutChromium}`, () => {
  let folder: string
  let server: FakeOpenaiProcess
  let browser: Browser
  let store: string
  let name: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'continue-test-'))
    server = await spawnFakeOpenai(['--latency', '300'])
    browser = await startBrowser()
    store = join(folder, 'store')
    const task = await writeTextTask(join(folder, 'task'), docs)
    const model = ['--model', 'openai', '--model-args', `model=m,base_url=${server.url}`, '--concurrency', '2']
    const limited = ['eval', '--tasks', task, '--store', store, ...model, '--max-requests', '5', '--json']
    const ended = await runCli(limited)
    expect(ended.code).toBe(2)
    name = (JSON.parse(ended.stdout) as { readonly run: { readonly name: string } }).run.name
  })

  afterAll(async () => {
    await browser.close()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** Opens the page of the run in a viewer with these flags. */
  async function withPage(flags: readonly string[], look: (opened: Opened) => Promise<void>): Promise<void> {
    const viewer = await startViewer(store, flags)
    const opened = await openPage(browser)
    try {
      await opened.page.goto(viewer.address)
      await opened.page.goto(`${viewer.origin}/ui/#/runs/${name}`)
      await opened.page.getByText('Its budget was used up (maxRequests: 5: 5 were sent).').waitFor()
      await look(opened)
    } finally {
      await opened.close()
      await viewer.stop()
    }
  }

  const button = ({ page }: Opened): Locator => page.getByRole('button', { name: 'Continue', exact: true })

  it('has no resume button in a read-only viewer', async () => {
    await withPage(['--read-only'], async opened => {
      expect(await opened.page.getByText(`pipeline resume ${name}`).count()).toBe(1)
      expect(await button(opened).count()).toBe(0)
    })
  })

  it('says why the run cannot be resumed if the server does not allow what it needs', async () => {
    await withPage([], async opened => {
      await button(opened).click()
      await opened.page.getByText(/This run cannot be continued here: .*--allow-(dir|url)/).waitFor()
      expect(await axeViolations(opened.page)).toEqual([])
    })
  })

  it('resumes the run with one click, and follows it until it is complete', async () => {
    await withPage(['--allow-dir', folder, '--allow-url', server.url], async opened => {
      expect(await axeViolations(opened.page)).toEqual([])
      await button(opened).click()
      await opened.page.locator('.title-line').getByText('running', { exact: true }).waitFor()
      await opened.page.locator('.title-line').getByText('complete', { exact: true }).waitFor()
      expect(await button(opened).count()).toBe(0)
      expect(opened.complaints()).toEqual([])
      // What was answered was not asked again.
      expect(await server.stats()).toMatchObject({ requests: docs, distinct: docs })
    })
  })
})
