/** A few players at most are loaded at once, and one that is removed gives its data back. */
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

const mostLive = 4
const live = new Set<HTMLMediaElement>()

/** Empties a player, so that the browser frees its decoder and buffers. */
function release(player: HTMLMediaElement): void {
  live.delete(player)
  player.pause()
  player.removeAttribute('src')
  player.load()
}

/** The player's address is set when it is first played or searched, and taken away when other players need the room. */
export function usePlayer<T extends HTMLMediaElement>(address: string): RefObject<T | null> {
  const player = useRef<T>(null)
  useEffect(() => {
    const element = player.current
    if (element === null) return undefined
    const handlePlay = (): void => {
      live.delete(element)
      live.add(element)
      for (const other of live) {
        if (other !== element && !other.paused) other.pause()
        if (live.size > mostLive && other !== element) sleep(other)
      }
    }
    element.src = address
    element.addEventListener('play', handlePlay)
    return () => {
      element.removeEventListener('play', handlePlay)
      release(element)
    }
  }, [address])
  return player
}

/** Frees a player that may be played again: it keeps its address, but nothing that was read. */
function sleep(player: HTMLMediaElement): void {
  live.delete(player)
  const { src } = player
  release(player)
  player.src = src
}
