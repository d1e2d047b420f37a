import { analyse } from 'scslre';

/*
 * A plugin for oxlint (`npm run check`): finds regular expressions that take more than linear time on some text. Node's
 * own engine goes back and forth over such a text while nobody else is served, and 15 kB of blanks in a header are enough
 * for a second.
 */

/** @param {string} text */
function shown(text) {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** What is wrong with one report of the analysis, in a sentence. @param {import('scslre').Report} report */
function sentence(report) {
  const quantifiers = report.type === 'Trade' ? [report.startQuant, report.endQuant] : [report.quant];
  const places = [...new Set(quantifiers.map(({ raw }) => shown(raw)))].join(' and ');
  const degree = report.exponential ? 'exponential' : 'quadratic';
  return `${degree} time by ${places}, on many characters out of ${shown(report.character.literal.source)}`;
}

const linear = {
  /** @param {any} context */
  create(context) {
    return {
      /** @param {any} node */
      Literal(node) {
        if (node.regex === undefined) return;
        const { pattern: source, flags } = node.regex;
        const { reports } = analyse({ source, flags }, { assumeRejectingSuffix: false });
        for (const report of reports) context.report({ node, message: sentence(report) });
      },
    };
  },
};

export default { meta: { name: 'patterns' }, rules: { linear } };
