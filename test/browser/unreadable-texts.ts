/*
 * Runs inside the page, so it may use nothing from outside itself. What it asks of the page is written down here: with
 * the browser's own types in the project, the service could name `document` and still pass the check.
 */

interface PageElement {
  ownerDocument: PageDocument;
  parentElement: PageElement | null;
  childNodes: Iterable<{ nodeType: number; textContent: string | null }>;
  querySelectorAll(selector: string): Iterable<PageElement>;
  getBoundingClientRect(): { width: number; height: number };
  checkVisibility(options: { opacityProperty: boolean; visibilityProperty: boolean }): boolean;
}

interface PageDocument {
  createElement(name: 'canvas'): { width: number; height: number; getContext(kind: '2d'): Painter };
  defaultView: {
    getComputedStyle(element: PageElement): { color: string; backgroundColor: string };
  };
}

interface Painter {
  fillStyle: string;
  clearRect(x: number, y: number, width: number, height: number): void;
  fillRect(x: number, y: number, width: number, height: number): void;
  getImageData(x: number, y: number, width: number, height: number): { data: ArrayLike<number> };
}

/** Texts below `root` whose contrast to what lies behind them is too low, as `3.1 text`. */
export function unreadableTexts(root: PageElement, contrastMin: number): string[] {
  const { defaultView: view } = root.ownerDocument;
  const painter = root.ownerDocument.createElement('canvas').getContext('2d');

  /** Painted, because a computed colour comes in whatever notation its style sheet used. */
  function painted(colors: readonly string[]): readonly [number, number, number, number] {
    painter.clearRect(0, 0, 1, 1);
    for (const color of colors) {
      painter.fillStyle = color;
      painter.fillRect(0, 0, 1, 1);
    }
    const { data } = painter.getImageData(0, 0, 1, 1);
    return [data[0] ?? 0, data[1] ?? 0, data[2] ?? 0, data[3] ?? 0];
  }

  function backgroundsOf(element: PageElement): string[] {
    const colors: string[] = [];
    for (let at: PageElement | null = element; at !== null; at = at.parentElement) {
      const { backgroundColor } = view.getComputedStyle(at);
      colors.unshift(backgroundColor);
      if (painted([backgroundColor])[3] === 255) break;
    }
    return colors;
  }

  /** Relative luminance of WCAG 2. */
  function luminance(color: readonly number[]): number {
    const [red = 0, green = 0, blue = 0] = color.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }

  const unreadable: string[] = [];
  for (const element of [root, ...root.querySelectorAll('*')]) {
    const text = [...element.childNodes]
      .filter((node) => node.nodeType === 3)
      .map((node) => node.textContent?.trim() ?? '')
      .join(' ')
      .trim();
    const { width, height } = element.getBoundingClientRect();
    if (text === '' || width < 2 || height < 2) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const backgrounds = backgroundsOf(element);
    const behind = painted(backgrounds);
    const front = painted([...backgrounds, view.getComputedStyle(element).color]);
    const [lighter = 0, darker = 0] = [luminance(front), luminance(behind)].sort(
      (left, right) => right - left,
    );
    const contrast = behind[3] < 255 ? 0 : (lighter + 0.05) / (darker + 0.05);
    if (contrast < contrastMin) unreadable.push(`${contrast.toFixed(1)} ${text.slice(0, 60)}`);
  }
  return unreadable;
}
