/** A sound with the browser's controls, and its loudness over time where a server computes that. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { MediaRef } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { useLoaded } from '../../data/use-loaded.js'
import { usePlayer } from './player.js'

interface SoundProps {
  readonly source: Source
  readonly medium: MediaRef
  readonly address: string
}

const barCount = 800

/** Shows a player for a sound. */
export function Sound({ source, medium, address }: SoundProps) {
  const player = usePlayer<HTMLAudioElement>(address)
  const [failed, setFailed] = useState(false)
  return (
    <div class="sound">
      {source.peaks !== undefined && <Waveform {...{ source, medium, player }} />}
      <audio ref={player} controls preload="metadata" aria-label="Sound" onError={() => setFailed(true)} />
      {failed && <CannotPlay address={address} />}
    </div>
  )
}

/** Shows a link to a medium that the browser cannot play. */
export const CannotPlay = ({ address }: { readonly address: string }) => (
  <p class="not-here">
    The browser cannot play this format.{' '}
    <a href={address} download>
      Download the file
    </a>
  </p>
)

interface WaveformProps {
  readonly source: Source
  readonly medium: MediaRef
  readonly player: { readonly current: HTMLAudioElement | null }
}

function Waveform({ source, medium, player }: WaveformProps) {
  const { value: peaks, error } = useLoaded(
    medium.digest,
    signal => source.peaks?.(medium, barCount, signal) ?? Promise.resolve([]),
  )
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const element = canvas.current
    const sound = player.current
    if (element === null || sound === null || peaks === undefined) return undefined
    const draw = (): void => drawPeaks(element, peaks, sound.duration > 0 ? sound.currentTime / sound.duration : 0)
    const observer = new ResizeObserver(draw)
    observer.observe(element)
    const themes = matchMedia('(prefers-color-scheme: dark)')
    themes.addEventListener('change', draw)
    for (const event of ['timeupdate', 'seeked', 'loadedmetadata']) sound.addEventListener(event, draw)
    return () => {
      observer.disconnect()
      themes.removeEventListener('change', draw)
      for (const event of ['timeupdate', 'seeked', 'loadedmetadata']) sound.removeEventListener(event, draw)
    }
  }, [peaks])
  if (error !== undefined) return <p class="dim">There is no waveform: {error}</p>
  const seek = (event: MouseEvent): void => {
    const sound = player.current
    const rectangle = canvas.current?.getBoundingClientRect()
    if (sound === null || rectangle === undefined || !(sound.duration > 0)) return
    sound.currentTime = (sound.duration * (event.clientX - rectangle.left)) / rectangle.width
  }
  // The player's own controls do the same by keyboard.
  return <canvas ref={canvas} class="waveform" aria-hidden="true" onClick={seek} />
}

/** Draws loudness as bars around a middle line. The played part has the accent colour. */
function drawPeaks(canvas: HTMLCanvasElement, peaks: readonly number[], played: number): void {
  const ratio = devicePixelRatio
  const width = Math.round(canvas.clientWidth * ratio)
  const height = Math.round(canvas.clientHeight * ratio)
  if (canvas.width !== width) canvas.width = width
  if (canvas.height !== height) canvas.height = height
  const drawing = canvas.getContext('2d')
  if (drawing === null || width === 0) return
  const style = getComputedStyle(canvas)
  drawing.clearRect(0, 0, width, height)
  const bars = Math.max(1, Math.min(peaks.length, Math.floor(width / (3 * ratio))))
  const step = width / bars
  for (let bar = 0; bar < bars; bar += 1) {
    const share = loudest(peaks, bar / bars, (bar + 1) / bars)
    const tall = Math.max(ratio, share * height)
    drawing.fillStyle = bar / bars < played ? style.accentColor : style.color
    drawing.fillRect(bar * step, (height - tall) / 2, Math.max(1, step - ratio), tall)
  }
}

/** The highest of the peaks between two shares of the length. */
function loudest(peaks: readonly number[], from: number, to: number): number {
  const start = Math.floor(from * peaks.length)
  const end = Math.max(start + 1, Math.floor(to * peaks.length))
  return peaks.slice(start, end).reduce((most, peak) => Math.max(most, peak), 0)
}
