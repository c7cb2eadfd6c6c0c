/** Pictures over the whole window: zoomed by wheel, buttons and keys, moved by dragging and arrow keys. Two pictures move together. */
import type { TargetedMouseEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Box } from '../../../present/page/data/index.js'
import { useShortcuts } from '../../routing/keys.js'
import { formatLine } from '../safe-text.js'
import { Boxes } from './boxes.js'
import { fitPicture, movedBy, zoomedAt, type View } from './zoom-view.js'

/** A picture with the boxes that are drawn over it. */
export interface ZoomedPicture {
  readonly address: string
  readonly boxes: readonly Box[]
  /** The run that the picture is of. */
  readonly title?: string
}

interface ZoomProps {
  readonly pictures: readonly ZoomedPicture[]
  readonly close: () => void
}

const step = 80

/** Shows pictures in a dialog. They are zoomed and moved together, in the size of the first. */
export function Zoom({ pictures, close }: ZoomProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const stage = useRef<HTMLDivElement>(null)
  const [picture, setPicture] = useState<{ readonly width: number; readonly height: number }>()
  const [view, setView] = useState<View>({ x: 0, y: 0, scale: 1 })
  const pointer = useRef<{ readonly x: number; readonly y: number } | undefined>(undefined)

  useEffect(() => {
    const element = dialog.current
    const before = document.activeElement
    element?.showModal()
    return () => {
      element?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])

  const room = (): { width: number; height: number } => ({
    width: stage.current?.clientWidth ?? 1,
    height: stage.current?.clientHeight ?? 1,
  })
  const fit = (): void => {
    if (picture !== undefined) setView(fitPicture(picture, room()))
  }
  useLayoutEffect(fit, [picture])

  const zoom = (factor: number, x = room().width / 2, y = room().height / 2): void =>
    setView(old => zoomedAt(old, factor, x, y))
  const move = (x: number, y: number): void => setView(old => movedBy(old, x, y))
  const full = (x = room().width / 2, y = room().height / 2): void => setView(old => zoomedAt(old, 1 / old.scale, x, y))
  useShortcuts([
    { keys: ['Escape'], does: 'close the picture', run: close },
    { keys: ['+', '='], does: 'zoom in', run: () => zoom(1.25) },
    { keys: ['-'], does: 'zoom out', run: () => zoom(0.8) },
    { keys: ['0'], does: 'fit the picture to the window', run: fit },
    { keys: ['1'], does: 'show the picture at its full size', run: () => full() },
    { keys: ['ArrowLeft'], does: 'move the picture', run: () => move(step, 0) },
    { keys: ['ArrowRight'], does: 'move the picture to the right', run: () => move(-step, 0) },
    { keys: ['ArrowUp'], does: 'move the picture up', run: () => move(0, step) },
    { keys: ['ArrowDown'], does: 'move the picture down', run: () => move(0, -step) },
  ])
  const within = (event: TargetedMouseEvent<HTMLElement>): readonly [number, number] => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    return [event.clientX - left, event.clientY - top]
  }
  return (
    <dialog
      ref={dialog}
      class="zoom"
      aria-label={pictures.length > 1 ? 'Pictures at their full size' : 'Picture at its full size'}
      onCancel={close}
    >
      <div class="zoom-bar">
        <button type="button" onClick={() => zoom(0.8)} aria-label="Zoom out">
          −
        </button>
        <output aria-label="Zoom">{Math.round(view.scale * 100)} %</output>
        <button type="button" onClick={() => zoom(1.25)} aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={fit}>
          Fit
        </button>
        <button type="button" onClick={() => full()}>
          Full size
        </button>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
      <div class="zoom-stages">
        {pictures.map(({ address, boxes, title }, index) => (
          <figure key={index}>
            {title !== undefined && <figcaption>{formatLine(title, 80)}</figcaption>}
            <div
              {...(index === 0 && { ref: stage })}
              class="zoom-stage"
              onWheel={event => {
                event.preventDefault()
                zoom(Math.exp(-event.deltaY / 400), ...within(event))
              }}
              onDblClick={event => (view.scale === 1 ? fit() : full(...within(event)))}
              onPointerDown={event => {
                pointer.current = { x: event.clientX, y: event.clientY }
                event.currentTarget.setPointerCapture(event.pointerId)
              }}
              onPointerMove={event => {
                if (pointer.current === undefined) return
                move(event.clientX - pointer.current.x, event.clientY - pointer.current.y)
                pointer.current = { x: event.clientX, y: event.clientY }
              }}
              onPointerUp={() => (pointer.current = undefined)}
              onPointerCancel={() => (pointer.current = undefined)}
            >
              <div
                class={`zoom-picture ${view.scale >= 3 ? 'is-large' : ''}`}
                style={{
                  width: `${picture?.width ?? 0}px`,
                  height: `${picture?.height ?? 0}px`,
                  transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})`,
                }}
              >
                <img
                  src={address}
                  alt=""
                  draggable={false}
                  onLoad={({ currentTarget }) => {
                    if (index === 0)
                      setPicture({ width: currentTarget.naturalWidth, height: currentTarget.naturalHeight })
                  }}
                />
                <Boxes boxes={boxes} />
              </div>
            </div>
          </figure>
        ))}
      </div>
    </dialog>
  )
}
