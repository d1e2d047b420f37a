/* Draws the table of a page's chart. Without it the page has the same numbers in the table. */
(() => {
  const place = document.getElementById('chart');
  const table = document.getElementById('chart-table');
  const readout = document.getElementById('readout');
  if (place === null || table === null || typeof uPlot === 'undefined') return;

  const FONT = '12px system-ui, sans-serif';
  const COLORS = ['--accent', '--notice', '--error', '--warning', '--fifth'];
  const MARK_PIXELS = 56;
  const seconds = Number(table.dataset.minutes) * 60;
  const rows = [...table.tBodies[0].rows];
  const starts = rows.map((row) => Date.parse(row.querySelector('time').dateTime) / 1000);
  /* Columns that the page marks so are read in the table only. */
  const drawn = [...table.tHead.rows[0].cells].slice(1).filter((cell) => cell.dataset.drawn !== 'no');
  const names = drawn.map((cell) => cell.textContent);
  const columns = drawn.map((head) =>
    rows.map((row) => {
      const data = row.cells[head.cellIndex].querySelector('data');
      return data === null ? null : Number(data.value);
    }),
  );
  /* Months are not of one length: their page says where the last one ends. */
  const end =
    table.dataset.end === undefined ? starts.at(-1) + seconds : Date.parse(table.dataset.end) / 1000;
  const marks = rows.flatMap((row, at) =>
    row.dataset.mark === undefined ? [] : [{ at: starts[at], label: row.dataset.mark }],
  );
  const color = (name) => getComputedStyle(document.body).getPropertyValue(name).trim();
  /* Neighbours that are marked alike are one place: a seam between them would be seen. */
  const shades = [];
  for (const [index, { className }] of rows.entries()) {
    const [last, start] = [shades.at(-1), starts[index]];
    if (className === last?.name && start === last.to) last.to += seconds;
    else if (className !== '') shades.push({ name: className, from: start, to: start + seconds });
  }
  const now = document.createElement('div');
  let chart = null;

  /* A step reaches to the end of its interval: the last one, and each in front of a gap, needs a point there. */
  function points() {
    const times = [];
    const drawn = columns.map(() => []);
    const add = (time, valueIn) => {
      times.push(time);
      for (const [column, values] of drawn.entries()) values.push(valueIn(columns[column]));
    };
    for (const [index, start] of starts.entries()) {
      const endsIn = (values) => index > 0 && values[index] === null && values[index - 1] !== null;
      const isEnd = columns.some(endsIn);
      if (isEnd) add(start, (values) => values[endsIn(values) ? index - 1 : index]);
      add(isEnd ? start + 1 : start, (values) => values[index]);
    }
    add(end, (values) => values.at(-1));
    return [times, ...drawn];
  }

  function marksShown() {
    const room = Math.max(1, Math.floor(place.clientWidth / MARK_PIXELS));
    const every = Math.ceil(marks.length / room);
    return marks.filter((_mark, index) => index % every === 0);
  }

  /* The name of a chart ends with its unit; so do some headings. */
  const unit = place.getAttribute('aria-label').split(', ').at(-1);
  const headings = [...table.tHead.rows[0].cells].map(({ textContent }) =>
    textContent === unit ? '' : `${textContent.replace(`, ${unit}`, '')} `,
  );

  function told({ cells: [time, ...others] }) {
    const numbers = others.filter((cell) => cell.className === 'number');
    const said = numbers.map((cell) => headings[cell.cellIndex] + (cell.textContent || '–'));
    const remarks = others.filter((cell) => !numbers.includes(cell) && cell.textContent !== '');
    return [time.textContent, `${said.join('   ')} ${unit}`, ...remarks.map((cell) => cell.textContent)];
  }

  function tell(plot) {
    const { left } = plot.cursor;
    const at = left == null || left < 0 ? -1 : plot.posToVal(left, 'x');
    const index = starts.findLastIndex((start) => start <= at);
    const row = at < 0 || at >= end ? undefined : rows[index];
    readout.textContent = row === undefined ? '' : told(row).join('   ');
  }

  /* One line needs none: its title says what it is. */
  function legend() {
    const list = document.createElement('ul');
    list.className = 'legend';
    list.ariaHidden = 'true';
    list.append(
      ...names.map((name, index) => {
        const entry = document.createElement('li');
        entry.textContent = name;
        entry.style.setProperty('--series', `var(${COLORS[index % COLORS.length]})`);
        return entry;
      }),
    );
    return list;
  }

  const percent = (time) => ((time - starts[0]) / (end - starts[0])) * 100;

  function shade({ name, from, to }) {
    const part = document.createElement('div');
    part.className = name;
    part.style.left = `${percent(from)}%`;
    part.style.width = `${percent(to) - percent(from)}%`;
    return part;
  }

  function placeNow() {
    const at = Date.now() / 1000;
    now.hidden = at < starts[0] || at >= end;
    now.style.left = `${percent(at)}%`;
  }

  function draw() {
    chart?.destroy();
    const axis = {
      stroke: color('--soft'),
      font: FONT,
      grid: { stroke: color('--rule'), width: 1 },
      ticks: { stroke: color('--rule'), width: 1 },
    };
    chart = new uPlot(
      {
        width: place.clientWidth,
        height: place.clientHeight,
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
        scales: {
          x: { time: false, range: () => [starts[0], end] },
          y: {
            range: (_plot, low, high) => [Math.min(0, low ?? 0) * 1.08, Math.max(0.1, high ?? 0.1) * 1.08],
          },
        },
        axes: [
          {
            ...axis,
            size: 30,
            splits: () => marksShown().map(({ at }) => at),
            values: (_plot, splits) => splits.map((at) => marks.find((mark) => mark.at === at)?.label ?? ''),
          },
          { ...axis, size: 48 },
        ],
        series: [
          {},
          ...names.map((label, index) => ({
            label,
            stroke: color(COLORS[index % COLORS.length]),
            width: 1.75,
            paths: uPlot.paths.stepped({ align: 1 }),
            points: { show: false },
          })),
        ],
        hooks: { init: [(plot) => plot.under.append(...shades.map(shade), now)], setCursor: [tell] },
      },
      points(),
      place,
    );
    place.dataset.points = String(rows.length);
  }

  now.className = 'now';
  placeNow();
  setInterval(placeNow, 60_000);
  place.hidden = false;
  if (names.length > 1) place.before(legend());
  draw();
  new ResizeObserver(() => {
    if (place.clientWidth > 0 && place.clientWidth !== chart.width) draw();
  }).observe(place);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
})();
