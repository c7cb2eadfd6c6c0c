/** Draws loudness as bars around a middle line. The played part has the accent colour. */
export function drawPeaks(canvas: HTMLCanvasElement, peaks: readonly number[], played: number): void {
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
