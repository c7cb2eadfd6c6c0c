/**
 * Makes the pictures of docs/viewer.md and README.md: `npm run screenshots`. It evaluates a small scene with the built program, opens the viewer and a report in
 * Chromium, and writes docs/pictures/*.png.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { openPage, startBrowser, type Look } from '../tests/support/browser.js'
import { root } from '../tests/support/cli.js'
import { startViewer } from '../tests/support/viewer-process.js'
import { viewerScene } from '../tests/support/viewer-scene.js'

const folder = join(root, 'docs/pictures')

interface Picture extends Look {
  readonly name: string
  readonly hash: string
  /** A text that the page shows when it is complete. */
  readonly shows: string
  readonly prepare?: (page: Page) => Promise<void>
}

const picturesOf = ([base, tuned]: readonly [string, string], frames: string): readonly Picture[] => [
  { name: 'viewer-light', hash: `#/runs/${tuned}`, shows: 'Provenance' },
  { name: 'viewer-leaderboard', hash: '#/leaderboard', shows: 'A score leads to its samples' },
  { name: 'viewer-dark', hash: `#/runs/${tuned}/samples?only=wrong`, shows: 'shape-', theme: 'dark' },
  { name: 'viewer-narrow', hash: `#/runs/${tuned}/samples/0/1`, shows: 'Picture 1', width: 375, height: 800 },
  { name: 'viewer-hostile', hash: `#/runs/${tuned}/samples/2/5`, shows: 'hostile 5' },
  { name: 'viewer-comparison', hash: `#/compare?a=${base}&b=${tuned}`, shows: 'better' },
  { name: 'viewer-video', hash: `#/runs/${frames}/samples/0/1`, shows: '4 frames were sent' },
]

async function take(
  browser: Browser,
  address: string,
  { name, shows, prepare, ...look }: Picture,
  first?: string,
): Promise<void> {
  const opened = await openPage(browser, { width: 1200, height: 760, ...look })
  const { page } = opened
  if (first !== undefined) await page.goto(first)
  await page.goto(address)
  await page.getByText(shows).first().waitFor()
  await prepare?.(page)
  await page.waitForLoadState('networkidle').catch(() => undefined)
  await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
  const shot = await page.screenshot()
  await sharp(shot)
    .png({ palette: true, colours: 128, compressionLevel: 9 })
    .toFile(join(folder, `${name}.png`))
  await opened.close()
}

await mkdir(folder, { recursive: true })
const scene = await viewerScene()
const [base, tuned] = scene.runs
// A video of which frames are sent, which takes ffmpeg.
const sent = await scene.run('eval', ...scene.modelFlags('tuned', ',nframes=4'), '--tasks', './media', '--json')
if (sent.code !== 0) throw new Error(sent.stderr)
const { run: frames } = JSON.parse(sent.stdout) as { readonly run: { readonly name: string } }
const report = join(scene.folder, 'report.html')
const written = await scene.run('report', base, tuned, '--html', report)
if (written.code !== 0) throw new Error(written.stderr)
const viewer = await startViewer(scene.store)
const browser = await startBrowser()
try {
  for (const picture of picturesOf(scene.runs, frames.name))
    await take(browser, `${viewer.origin}/ui/${picture.hash}`, picture, viewer.address)
  await take(browser, `${pathToFileURL(report).href}#/runs/${tuned}`, { name: 'report', hash: '', shows: 'Provenance' })
} finally {
  await browser.close()
  await viewer.stop()
  await scene.close()
}
