/** A sound with the browser's controls, and its loudness over time where a server computes that. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { MediaRef } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { useLoaded } from '../../data/use-loaded.js'
import { drawPeaks } from './draw-peaks.js'
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
