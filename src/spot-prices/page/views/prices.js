/* Draws the curve of the page of prices. Without it the page has the same numbers in its tables. */
(() => {
  const figure = document.getElementById('curve');
  const place = document.getElementById('chart');
  const readout = document.getElementById('readout');
  const failed = document.getElementById('curve-failed');
  if (figure === null || place === null || typeof uPlot === 'undefined') return;

  const RELOAD_MILLISECONDS = 60_000;
  const RETRY_MILLISECONDS = 3_000;
  const NARROW_PIXELS = 560;
  const SERIES = ['realized', 'forecast'];
  const FONT = '12px system-ui, sans-serif';
  const LABEL_GAP_PIXELS = 8;

  let curve = null;
  let chart = null;
  let loadedAt = 0;

  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const nowSeconds = () => curve.now + (performance.now() - loadedAt) / 1000;
  const isNarrow = () => place.clientWidth < NARROW_PIXELS;

  /** Index of the interval that holds the instant; -1 outside. */
  function intervalAt(seconds) {
    if (seconds >= curve.end) return -1;
    let index = -1;
    while (index + 1 < curve.starts.length && curve.starts[index + 1] <= seconds) index += 1;
    return index;
  }

  /** On a phone there is room for today and tomorrow; the tables have the other days. */
  function shownSpan() {
    if (!isNarrow()) return [curve.starts[0], curve.end];
    const days = curve.marks.filter(({ rank }) => rank === 0).map(({ at }) => at);
    const today = days.findLastIndex((at) => at <= nowSeconds());
    return [days[today] ?? curve.starts[0], days[today + 2] ?? curve.end];
  }

  const endOf = (index) => curve.starts[index + 1] ?? curve.end;

  /*
   * A step reaches from the start of an interval to its end. Before a hole and at the end nothing follows that would draw
   * the last step, so each interval that ends a run has a second point one second before its end.
   */
  function points() {
    const at = [];
    const of = [];
    curve.starts.forEach((start, index) => {
      at.push(start);
      of.push(index);
      const endsRun = SERIES.some(
        (name) => curve[name][index] !== null && (curve[name][index + 1] ?? null) === null,
      );
      if (endsRun) {
        at.push(endOf(index) - 1);
        of.push(index);
      }
    });
    return [at, ...SERIES.map((name) => of.map((index) => curve[name][index]))];
  }

  /** Above zero in one colour, below it in another. */
  function twoTone(upper, lower) {
    return (plot) => {
      const { top, height } = plot.bbox;
      const zero = Math.min(1, Math.max(0, (plot.valToPos(0, 'y', true) - top) / height));
      const gradient = plot.ctx.createLinearGradient(0, top, 0, top + height);
      gradient.addColorStop(0, color(upper));
      gradient.addColorStop(zero, color(upper));
      gradient.addColorStop(zero, color(lower));
      gradient.addColorStop(1, color(lower));
      return gradient;
    };
  }

  /** Zero is always in sight, and a little more than the prices need. */
  function range(_plot, low, high) {
    const [from, to] = [Math.min(0, low ?? 0), Math.max(0, high ?? 10)];
    const margin = (to - from) * 0.08 || 1;
    return [from < 0 ? from - margin : 0, to + margin];
  }

  /** As many marks as stand beside each other: their names are measured, because every machine has other letters. */
  function marksShown(plot) {
    const width = plot.bbox.width / devicePixelRatio;
    plot.ctx.save();
    plot.ctx.font = FONT;
    const widths = new Map(curve.marks.map((mark) => [mark, plot.ctx.measureText(mark.label).width]));
    plot.ctx.restore();
    const [first, end] = shownSpan();
    const pixelsPerSecond = width / (end - first);
    const inside = curve.marks.filter(({ at }) => first <= at && at < end);
    const fits = (marks) =>
      marks.every((mark, index) => {
        const next = marks[index + 1];
        if (next === undefined) return true;
        const needed = (widths.get(mark) + widths.get(next)) / 2 + LABEL_GAP_PIXELS;
        return (next.at - mark.at) * pixelsPerSecond >= needed;
      });
    for (const rankMax of [2, 1]) {
      const marks = inside.filter((mark) => mark.rank <= rankMax);
      if (fits(marks)) return marks;
    }
    const days = inside.filter((mark) => mark.rank === 0);
    for (let every = 1; every < days.length; every += 1) {
      const marks = days.filter((_mark, index) => index % every === 0);
      if (fits(marks)) return marks;
    }
    return days.slice(0, 1);
  }

  function drawZero(plot) {
    const y = Math.round(plot.valToPos(0, 'y', true));
    const { left, width } = plot.bbox;
    plot.ctx.save();
    plot.ctx.strokeStyle = color('--zero');
    plot.ctx.lineWidth = devicePixelRatio;
    plot.ctx.beginPath();
    plot.ctx.moveTo(left, y);
    plot.ctx.lineTo(left + width, y);
    plot.ctx.stroke();
    plot.ctx.restore();
  }

  const marker = document.createElement('div');
  marker.className = 'marker';

  function placeMarker() {
    const index = intervalAt(nowSeconds());
    marker.hidden = index === -1;
    if (index === -1) return;
    const left = chart.valToPos(curve.starts[index], 'x');
    marker.style.left = `${left}px`;
    marker.style.width = `${Math.max(2, chart.valToPos(endOf(index), 'x') - left)}px`;
    marker.dataset.start = new Date(curve.starts[index] * 1000).toISOString();
  }

  function show(index) {
    const { no_price, forecast: forecastName, decimal_point } = curve.words;
    const text = (name) =>
      curve[name][index] === null ? null : `${String(curve[name][index]).replace('.', decimal_point)} ct/kWh`;
    const [realized, forecast] = SERIES.map(text);
    const day = curve.marks.findLast((mark) => mark.rank === 0 && mark.at <= curve.starts[index]);
    const said = [
      realized ?? day?.missing ?? no_price,
      ...(forecast === null ? [] : [`${forecastName} ${forecast}`]),
    ];
    readout.textContent = `${day?.label ?? ''}, ${curve.labels[index]}: ${said.join(', ')}`;
  }

  function onCursor(plot) {
    const { left } = plot.cursor;
    const index = left == null || left < 0 ? -1 : intervalAt(plot.posToVal(left, 'x'));
    if (index === -1) readout.textContent = '';
    else show(index);
  }

  function options() {
    const axis = {
      stroke: color('--quiet'),
      grid: { stroke: color('--grid'), width: 1 },
      ticks: { stroke: color('--grid'), width: 1 },
      font: FONT,
    };
    const stepped = uPlot.paths.stepped({ align: 1 });
    const zero = () => 0;
    return {
      width: place.clientWidth,
      height: place.clientHeight,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: {
        x: { time: false, range: shownSpan },
        y: { range },
      },
      axes: [
        {
          ...axis,
          size: 30,
          splits: (plot) => {
            const marks = marksShown(plot);
            place.dataset.labels = marks.map((mark) => mark.label).join('|');
            place.dataset.span = shownSpan().join('|');
            return marks.map((mark) => mark.at);
          },
          values: (_plot, splits) =>
            splits.map((at) => curve.marks.find((mark) => mark.at === at)?.label ?? ''),
        },
        {
          ...axis,
          size: isNarrow() ? 38 : 54,
          label: isNarrow() ? undefined : curve.unit,
          labelSize: 18,
          labelFont: FONT,
        },
      ],
      series: [
        {},
        {
          label: 'price',
          paths: stepped,
          points: { show: false },
          width: 1.75,
          stroke: twoTone('--realized', '--negative'),
          fill: twoTone('--realized-fill', '--negative-fill'),
          fillTo: zero,
        },
        {
          label: 'forecast',
          paths: stepped,
          points: { show: false },
          width: 1.5,
          dash: [5, 4],
          stroke: color('--forecast'),
        },
      ],
      hooks: {
        drawAxes: [drawZero],
        draw: [placeMarker],
        setCursor: [onCursor],
      },
    };
  }

  function draw() {
    chart?.destroy();
    chart = null;
    const made = new uPlot(options(), points(), (plot, begin) => {
      chart = plot;
      place.append(plot.root);
      plot.over.append(marker);
      begin();
    });
    place.dataset.points = String(made.data[1].filter((value) => value !== null).length);
    place.dataset.scheme = color('--realized');
  }

  async function load() {
    try {
      const answer = await fetch(figure.dataset.address);
      if (!answer.ok) throw new Error(String(answer.status));
      const next = await answer.json();
      curve = next;
      loadedAt = performance.now();
    } catch {
      /* What is drawn stays; it is at most as old as the tables. */
      if (curve === null) {
        if (failed !== null) failed.hidden = false;
        setTimeout(() => void load(), RETRY_MILLISECONDS);
      }
      return;
    }
    const isThere = [...curve.realized, ...curve.forecast].some((value) => value !== null);
    figure.hidden = !isThere;
    if (failed !== null) failed.hidden = true;
    if (isThere) draw();
  }

  new ResizeObserver(() => {
    if (chart === null || place.clientWidth === 0) return;
    if (place.clientWidth !== chart.width || place.clientHeight !== chart.height) draw();
  }).observe(place);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    if (chart !== null) draw();
  });
  setInterval(() => {
    if (!document.hidden) void load();
  }, RELOAD_MILLISECONDS);
  void load();

  const row = document.querySelector('tr.current');
  const list = row?.closest('.scroll');
  if (row && list) list.scrollTop = row.offsetTop - list.clientHeight / 2;
})();
