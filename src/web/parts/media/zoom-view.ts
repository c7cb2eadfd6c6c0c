/** The position of a zoomed picture in its window. `x` and `y` are the window's position of the picture's left upper corner. */
export interface View {
  readonly x: number
  readonly y: number
  readonly scale: number
}

interface Size {
  readonly width: number
  readonly height: number
}

const least = 0.05
const most = 32

/** The whole picture in the middle of the window. A small picture is at most doubled. */
export function fitPicture(picture: Size, room: Size): View {
  const scale = Math.min(room.width / picture.width, room.height / picture.height, 2)
  return { x: (room.width - picture.width * scale) / 2, y: (room.height - picture.height * scale) / 2, scale }
}

/** Zooms by a factor. The point of the picture below `x`, `y` stays there. */
export function zoomedAt(view: View, factor: number, x: number, y: number): View {
  const scale = Math.min(most, Math.max(least, view.scale * factor))
  const ratio = scale / view.scale
  return { x: x - (x - view.x) * ratio, y: y - (y - view.y) * ratio, scale }
}

/** Moves the view by a distance in pixels. */
export const movedBy = (view: View, x: number, y: number): View => ({ ...view, x: view.x + x, y: view.y + y })
