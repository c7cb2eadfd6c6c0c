/** A video with the browser's controls, and the frames that the model was sent where a server computes them. */
import { useState } from 'preact/hooks'
import type { MediaPart, Source } from '../../data/source.js'
import { useLoaded } from '../../data/use-loaded.js'
import { usePlayer } from './player.js'
import { CannotPlay } from './sound.js'

interface FilmProps {
  readonly source: Source
  readonly part: MediaPart
  readonly address: string
}

/** Shows a player for a video. */
export function Film({ source, part, address }: FilmProps) {
  const player = usePlayer<HTMLVideoElement>(address)
  const [failed, setFailed] = useState(false)
  const poster = source.frameUrl?.(part.medium, 0, 640)
  const seek = (seconds: number): void => {
    if (player.current !== null) player.current.currentTime = seconds
  }
  return (
    <div class="film">
      <video
        ref={player}
        controls
        playsInline
        preload={poster === undefined ? 'metadata' : 'none'}
        poster={poster}
        aria-label="Video"
        onError={() => setFailed(true)}
      />
      {failed && <CannotPlay address={address} />}
      {source.frameTimes !== undefined && <Frames {...{ source, part, seek }} />}
    </div>
  )
}

interface FramesProps {
  readonly source: Source
  readonly part: MediaPart
  readonly seek: (seconds: number) => void
}

function Frames({ source, part, seek }: FramesProps) {
  const key = `${part.medium.digest} ${JSON.stringify(part.derive)}`
  const { value: times, error } = useLoaded(key, signal => source.frameTimes?.(part, signal) ?? Promise.resolve([]))
  if (error !== undefined) return <p class="dim">The frames that were sent cannot be shown: {error}</p>
  if (times === undefined) return <p class="dim">The frames that were sent are being read…</p>
  if (times.length === 0) return <p class="dim">The video was sent whole.</p>
  return (
    <>
      <p class="dim">{times.length} frames were sent. A frame moves the video to its time.</p>
      <ol class="frames" aria-label="Frames that were sent">
        {times.map((seconds, index) => (
          <li key={index}>
            <button type="button" onClick={() => seek(seconds)} aria-label={`Go to ${clock(seconds)}`}>
              <img src={source.frameUrl?.(part.medium, seconds, 160)} alt="" loading="lazy" decoding="async" />
              <span>{clock(seconds)}</span>
            </button>
          </li>
        ))}
      </ol>
    </>
  )
}

/** `1:05.3` */
function clock(seconds: number): string {
  const tenths = Math.round(seconds * 10)
  const rest = tenths % 600
  return `${Math.floor(tenths / 600)}:${String(Math.floor(rest / 10)).padStart(2, '0')}.${rest % 10}`
}
