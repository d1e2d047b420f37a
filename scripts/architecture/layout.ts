import { Graph, layout } from '@dagrejs/dagre';
import type { Arrow } from './folders.ts';

export interface Point {
  x: number;
  y: number;
}

export interface Box extends Point {
  name: string;
  width: number;
  height: number;
}

export interface Line {
  points: readonly Point[];
  arrow: Arrow;
  /** The other folder imports this one, too. */
  bothWays: boolean;
}

export interface Arrangement {
  boxes: readonly Box[];
  lines: readonly Line[];
  width: number;
  height: number;
}

interface Spacing {
  betweenBoxes: number;
  betweenLevels: number;
  direction: 'TB' | 'LR';
}

/** Levels along the direction: each arrow follows it, except where folders import each other. Corners are left top. */
export function arrange(
  boxes: readonly { name: string; width: number; height: number }[],
  arrows: readonly Arrow[],
  { betweenBoxes, betweenLevels, direction }: Spacing,
): Arrangement {
  const graph = new Graph();
  graph.setGraph({ rankdir: direction, nodesep: betweenBoxes, edgesep: 10, ranksep: betweenLevels });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { name, width, height } of boxes) graph.setNode(name, { width, height });
  const back = (arrow: Arrow) => arrows.some((other) => other.from === arrow.to && other.to === arrow.from);
  const drawn = arrows.filter((arrow) => !back(arrow) || arrow.from < arrow.to);
  for (const { from, to } of drawn) graph.setEdge(from, to);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    boxes: boxes.map((box) => {
      const { x, y } = graph.node(box.name) as Point;
      return { ...box, x: x - box.width / 2, y: y - box.height / 2 };
    }),
    lines: drawn.map((arrow) => {
      const { points } = graph.edge(arrow.from, arrow.to) as { points: Point[] };
      return { points, arrow, bothWays: back(arrow) };
    }),
    width,
    height,
  };
}
