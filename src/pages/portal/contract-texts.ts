import type { Language } from '../../platform/http/pages/language.ts';

/** On the pages about one contract. */
const de = {
  ways: {
    prices: 'Preise heute und morgen',
    usage: 'Verbrauch',
    fedIn: 'Einspeisung',
    reading: 'Zählerstand melden',
    terminate: 'Verträge hier kündigen',
    withdraw: 'Vertrag widerrufen',
    ended: 'Bestätigung der Kündigung',
    withdrawn: 'Bestätigung des Widerrufs',
  },
  back: 'Zurück zu Ihren Verträgen',
  notADay: 'Bitte geben Sie einen Tag an, zum Beispiel 31.12.2026.',
  about: (plan: string, number: string | null) => (number === null ? plan : `${plan}, Vertrag ${number}`),
  asTable: 'Als Tabelle',
  time: 'Zeit',
  notSupplied: 'Ihr Netzbetreiber hat die Belieferung noch nicht bestätigt.',
  isNeverSupplied: 'Die Belieferung beginnt nicht.',
  suppliedFrom: (day: string) => `Die Belieferung beginnt am ${day}.`,
  suppliedUntil: (day: string) => `Letzter Tag der Belieferung: ${day}.`,

  pricesTitle: 'Ihre Preise heute und morgen',
  now: 'Jetzt',
  noPriceNow: 'Für jetzt ist kein Preis bekannt.',
  today: 'Heute',
  tomorrow: 'Morgen',
  cheapest: { ahead: 'Ab jetzt am günstigsten', ofDay: 'Am günstigsten' },
  dearest: { ahead: 'Ab jetzt am teuersten', ofDay: 'Am teuersten' },
  hourCosts: (from: string, to: string, cents: string) => `${from} bis ${to} Uhr, im Mittel ${cents} ct/kWh`,
  madeUpPrices:
    'Erfundene Zahlen: Diese Preise beruhen auf einer Quelle zum Ausprobieren, nicht auf dem Markt.',
  oldFees:
    'Entgelte oder Umlagen dieser Preise sind abgelaufen, und neue liegen noch nicht vor: Gerechnet ist mit den bisherigen. Abgerechnet wird mit den neuen.',
  noPrices: {
    stored: 'Die Preise dieses Tages sind nicht vollständig bekannt.',
    expected: 'Die Preise für morgen kommen gegen 13 Uhr.',
    late: 'Die Preise dieses Tages sind verspätet.',
    held_back: 'Die Preise dieses Tages werden zurückgehalten: Sie werden geprüft.',
  },
  samePrices: {
    ahead: 'Ab jetzt kostet jede Stunde gleich viel.',
    ofDay: 'Jede Stunde kostet gleich viel.',
  },
  dayIsOver: 'Der Tag ist fast vorbei.',
  priceCurve: 'Verlauf',
  centsInclusive: 'ct/kWh einschließlich Umsatzsteuer',
  price: 'Preis',
  electricity: 'Energie',
  grid: 'Netz',
  levies: 'Steuern und Umlagen',
  mark: 'Hinweis',
  marks: { cheap: 'günstig', dear: 'teuer' },
  pricesHint:
    'Der Preis ist die Summe aus Energie (Börsenpreis und Aufschlag), Netz, Steuern und Umlagen, alle mit Umsatzsteuer. Grundpreise kommen hinzu. Zeiten von Berlin.',

  usageTitle: 'Ihr Verbrauch',
  fedInTitle: 'Ihre Einspeisung',
  usageOf: (span: string) => `Werte von ${span}`,
  sum: 'Zusammen',
  before: 'Davor',
  after: 'Danach',
  wholeYear: 'Das ganze Jahr',
  day: 'Tag',
  month: 'Monat',
  usageColumn: 'kWh',
  costColumn: 'Euro',
  noPrice: 'Preis fehlt',
  costHint:
    'In Euro steht, was diese Energie nach Ihrem Vertrag kostet: jede Viertelstunde zu ihrem Preis mit Netz, Steuern, Umlagen und Umsatzsteuer, ohne Grundpreise, Messstelle und Rabatte. Ein Monat ist gerundet wie auf einer Monatsrechnung.',
  costMissing:
    'Wo ein Preis fehlt oder der Zähler keine Viertelstunden maß, steht kein Betrag, und auch keine Summe.',
  preliminary: 'vorläufig',
  preliminaryHint:
    'Vorläufige Werte können sich noch ändern, bis der Monat abgeschlossen oder der Zähler abgelesen ist.',
  noValues: 'keine Werte',
  covered: (percent: string) => `Werte für ${percent} der Zeit`,
  coveredDays: (known: number, days: number) => `Werte an ${known} von ${days} Tagen`,
  noUsage: 'Für diese Zeit gibt es keine Werte.',

  readingTitle: 'Zählerstand melden',
  readingValue: 'Zählerstand in kWh',
  readingValueHint: 'Wie ihn der Zähler zeigt, ohne Punkte zwischen den Tausendern: 18342,7',
  readingDay: 'Tag der Ablesung',
  sendReading: 'Zählerstand senden',
  readings: 'Bisherige Zählerstände',
  noReadings: 'Noch keiner.',
  readBy: 'Abgelesen',
  readingTypes: {
    customer_report: 'von Ihnen',
    /* Without soft hyphens the table is wider than a phone. */
    grid_reading: 'vom Mess\u00adstellen\u00adbetreiber',
    grid_estimation: 'vom Mess\u00adstellen\u00adbetreiber geschätzt',
  },
  readingStored: (value: string, day: string) => `Danke, wir haben ${value} für den ${day} gespeichert.`,
  meterSends: 'Ihr Zähler sendet seine Stände selbst. Sie brauchen nichts zu melden.',
  isThere: (isYours: boolean) =>
    `Der neueste Zählerstand, den wir hier annehmen, ist schon da. Ist er falsch, ${isYours ? 'berichtigen Sie ihn unten' : 'berichtigt ihn Ihr Anbieter'}.`,
  correctReading: 'berich\u00adtigen',
  replacesOwn: (day: string) => `Was Sie jetzt senden, ersetzt Ihren Zählerstand vom ${day}.`,
  ownIsThere: 'Für diesen Tag haben Sie schon einen anderen Zählerstand gemeldet.',
  fixedReading:
    'Einen Zählerstand, auf dem eine Rechnung beruht, der schon berichtigt wurde oder mit dem ein Zähler ausgebaut wurde, kann nur Ihr Anbieter berichtigen: Bitte wenden Sie sich an ihn.',
  noReadingsTaken: 'Für diesen Vertrag werden keine Zählerstände gebraucht.',
  tooLow: (least: string) =>
    `An diesem Tag zeigt der Zähler mindestens ${least}: So viel hatte er davor schon. Bitte sehen Sie noch einmal nach. Stimmt Ihr Stand, wenden Sie sich bitte an Ihren Anbieter.`,
  tooHigh: (most: string) =>
    `Erwartet werden an diesem Tag höchstens ${most}. Bitte sehen Sie noch einmal nach. Stimmt Ihr Stand, wenden Sie sich bitte an Ihren Anbieter.`,
  suppliersDay: (day: string | null) =>
    `Dieser Tag liegt vor einem späteren Zählerstand oder ist abgerechnet: Seinen Stand trägt Ihr Anbieter ein.${day === null ? '' : ` Hier melden Sie Stände ab dem ${day}.`}`,
  suppliersReadings:
    'Hier nehmen wir keinen Zählerstand mehr an: Die Tage sind abgerechnet oder liegen zwischen anderen Ständen. Fehlt einer, trägt ihn Ihr Anbieter ein.',
  earlierReading:
    'Nötig ist höchstens noch ein früherer Zählerstand, etwa der vom ersten Tag Ihrer Belieferung.',
  notKwh: 'Der Zählerstand besteht aus Ziffern, mit höchstens zwei Stellen hinter dem Komma: 18342,7',
  readingErrors: {
    implausible_meter_reading: 'Dieser Zählerstand passt nicht zu den anderen.',
    duplicate_meter_reading:
      'Für diesen Tag gibt es schon einen anderen Zählerstand. Ist er falsch, berichtigt ihn Ihr Anbieter.',
    out_of_period_meter_reading: 'An diesem Tag werden Sie nicht beliefert, oder er liegt in der Zukunft.',
    unsupported_meter_reading: 'Für diesen Vertrag werden keine Zählerstände gebraucht.',
    unsupported_meter: 'Ihr Zähler sendet seine Stände selbst. Sie brauchen nichts zu melden.',
  } as Record<string, string>,

  terminateTitle: 'Vertrag kündigen',
  terminateHint: 'Mit dem Knopf "jetzt kündigen" erklären Sie die Kündigung dieses Vertrags.',
  kind: 'Art der Kündigung',
  kinds: { ORDINARY: 'Ordentliche Kündigung', MOVE_OUT: 'Kündigung wegen Auszugs' },
  earliestDay: (day: string) => `(letzter Tag frühestens ${day})`,
  lastDayHint:
    'Bleibt das Feld leer, endet der Vertrag so früh wie möglich. Bei einem Auszug wird der Tag gebraucht.',
  endOfMonth: 'Einspeisung endet mit einem Monat.',
  terminateNow: 'jetzt kündigen',
  otherReasons: 'Aus einem anderen wichtigen Grund kündigen Sie bitte in Textform bei Ihrem Anbieter.',
  endsOn: (day: string) => `Der Vertrag ist gekündigt. Letzter Tag der Belieferung ist der ${day}.`,
  noEarlierEnd: 'Früher kann er nicht enden.',
  notTerminable: 'Die Belieferung ist noch nicht bestätigt. Kündigen können Sie den Vertrag erst danach.',
  withdrawInstead: 'Bis dahin können Sie ihn widerrufen.',
  endingErrors: {
    invalid_termination_date: 'An diesem Tag kann der Vertrag nicht enden.',
    subscription_not_started: 'Die Belieferung ist noch nicht bestätigt.',
    ended_subscription: 'Der Vertrag ist beendet.',
    withdrawal_not_allowed: 'Die Frist für den Widerruf ist vorbei.',
  } as Record<string, string>,

  withdrawTitle: 'Vertrag widerrufen',
  withdrawHint:
    'Sie können diesen Vertrag 14 Tage lang ohne Gründe widerrufen. Mit "Widerruf bestätigen" erklären Sie den Widerruf.',
  withdrawNow: 'Widerruf bestätigen',
  withdrawalOver: 'Ein Widerruf ist nicht mehr möglich: er steht Verbrauchern 14 Tage lang offen.',

  receiptTitle: 'Eingang Ihrer Erklärung',
  receiptHint: 'Wir haben Ihre Erklärung erhalten und bestätigen sie.',
  keepReceipt: 'Sie können diese Seite speichern oder drucken.',
  receiptMailed:
    'Haben Sie hier gekündigt oder widerrufen, schicken wir die Bestätigung auch an Ihre E-Mail-Adresse, wenn uns eine bekannt ist.',
  declaration: 'Erklärung',
  declarations: {
    ORDINARY: 'Ordentliche Kündigung',
    MOVE_OUT: 'Kündigung wegen Auszugs',
    WITHDRAWAL: 'Widerruf',
  },
  receivedAt: 'Eingegangen',
  neverSupplied: 'keiner, die Belieferung beginnt nicht',

  consentsTitle: 'Programme mit Zugriff',
  consentsHint:
    'Diese Programme dürfen für Sie, was hier steht. Verträge abschließen, ändern oder kündigen dürfen sie nicht.',
  noConsents: 'Sie haben zurzeit keinem Programm Zugriff erlaubt.',
  letInOn: (day: string) => `erlaubt am ${day}`,
  mayRead: 'Ihre Haushalte und Geräte mit Messwerten, Ihre Verträge, Verbräuche und Rechnungen sehen',
  mayWrite: 'Zählerstände für Sie melden',
  endConsent: 'Zugriff beenden',
  /* Any link can show it, so it claims nothing that happened. */
  consentEnded: 'Ein Programm, dessen Zugriff Sie beenden, verliert ihn innerhalb von Sekunden.',
};

const en: typeof de = {
  ways: {
    prices: 'Prices today and tomorrow',
    usage: 'Usage',
    fedIn: 'Feed-in',
    reading: 'Send a meter reading',
    terminate: 'End contracts here',
    withdraw: 'Withdraw from the contract',
    ended: 'Receipt of the termination',
    withdrawn: 'Receipt of the withdrawal',
  },
  back: 'Back to your contracts',
  notADay: 'Please name a day, for example 2026-12-31.',
  about: (plan, number) => (number === null ? plan : `${plan}, contract ${number}`),
  asTable: 'As a table',
  time: 'Time',
  notSupplied: 'Your grid operator has not confirmed the supply yet.',
  isNeverSupplied: 'The supply does not begin.',
  suppliedFrom: (day) => `The supply begins on ${day}.`,
  suppliedUntil: (day) => `Last day of supply: ${day}.`,

  pricesTitle: 'Your prices today and tomorrow',
  now: 'Now',
  noPriceNow: 'No price is known for now.',
  today: 'Today',
  tomorrow: 'Tomorrow',
  cheapest: { ahead: 'Cheapest from now on', ofDay: 'Cheapest' },
  dearest: { ahead: 'Dearest from now on', ofDay: 'Dearest' },
  hourCosts: (from, to, cents) => `${from} to ${to}, ${cents} ct/kWh on average`,
  madeUpPrices:
    'Made-up numbers: these prices come from a source for trying things out, not from the market.',
  oldFees:
    'Fees or levies of these prices have ended, and new ones are not known yet: they are calculated with the former ones. You are billed by the new ones.',
  noPrices: {
    stored: 'Not all prices of this day are known.',
    expected: 'The prices of tomorrow come about 13:00.',
    late: 'The prices of this day are late.',
    held_back: 'The prices of this day are held back: they are being checked.',
  },
  samePrices: { ahead: 'From now on every hour costs the same.', ofDay: 'Every hour costs the same.' },
  dayIsOver: 'The day is nearly over.',
  priceCurve: 'Curve',
  centsInclusive: 'ct/kWh including VAT',
  price: 'Price',
  electricity: 'Energy',
  grid: 'Grid',
  levies: 'Taxes and levies',
  mark: 'Remark',
  marks: { cheap: 'cheap', dear: 'dear' },
  pricesHint:
    'The price is the sum of energy (market price and margin), grid, taxes and levies, all including VAT. Base fees come on top. Times are those of Berlin.',

  usageTitle: 'Your usage',
  fedInTitle: 'Your feed-in',
  usageOf: (span) => `Values of ${span}`,
  sum: 'In total',
  before: 'Before',
  after: 'After',
  wholeYear: 'The whole year',
  day: 'Day',
  month: 'Month',
  usageColumn: 'kWh',
  costColumn: 'Euros',
  noPrice: 'price missing',
  costHint:
    'Euros say what this energy costs by your contract: each quarter hour at its price with grid, taxes, levies and VAT, without base prices, metering and discounts. A month is rounded as on a monthly bill.',
  costMissing:
    'Where a price is missing, or the meter counted no quarter hours, there is no amount, and no sum either.',
  preliminary: 'preliminary',
  preliminaryHint: 'Preliminary values can change until their month is settled, or the meter is read.',
  noValues: 'no values',
  covered: (percent) => `values for ${percent} of the time`,
  coveredDays: (known, days) => `values on ${known} of ${days} days`,
  noUsage: 'There are no values of this time.',

  readingTitle: 'Send a meter reading',
  readingValue: 'Meter reading in kWh',
  readingValueHint: 'As the meter shows it, without separators of thousands: 18342.7',
  readingDay: 'Day of the reading',
  sendReading: 'Send the reading',
  readings: 'Readings so far',
  noReadings: 'None yet.',
  readBy: 'Read',
  readingTypes: {
    customer_report: 'by you',
    grid_reading: 'by the metering operator',
    grid_estimation: 'estimated by the metering operator',
  },
  readingStored: (value, day) => `Thank you, we have stored ${value} for ${day}.`,
  meterSends: 'Your meter sends its readings by itself. You need not do anything.',
  isThere: (isYours) =>
    `The newest reading that we take here is there already. If it is wrong, ${isYours ? 'correct it below' : 'your supplier corrects it'}.`,
  correctReading: 'correct it',
  replacesOwn: (day) => `What you send now replaces your reading of ${day}.`,
  ownIsThere: 'You have sent another reading of this day already.',
  fixedReading:
    'Only your supplier can correct a reading that a bill rests on, that was corrected before, or that is the last one of a meter that was replaced: please write to your supplier.',
  noReadingsTaken: 'No readings are needed for this contract.',
  tooLow: (least) =>
    `On this day the meter shows at least ${least}: it had as much before. Please look again. If your reading is right, please ask your supplier.`,
  tooHigh: (most) =>
    `At most ${most} are expected on this day. Please look again. If your reading is right, please ask your supplier.`,
  suppliersDay: (day) =>
    `This day lies before a later reading, or is billed: your supplier enters its reading.${day === null ? '' : ` Here you send readings from ${day} on.`}`,
  suppliersReadings:
    'No reading is taken here any more: the days are billed, or lie between other readings. If one is missing, your supplier enters it.',
  earlierReading: 'At most an earlier reading is still needed, of your first day of supply for instance.',
  notKwh: 'A meter reading has digits, and at most two decimals: 18342.7',
  readingErrors: {
    implausible_meter_reading: 'This reading does not fit the others.',
    duplicate_meter_reading:
      'There is another reading of this day. If it is wrong, your supplier corrects it.',
    out_of_period_meter_reading: 'You are not supplied on this day, or it lies in the future.',
    unsupported_meter_reading: 'No readings are needed for this contract.',
    unsupported_meter: 'Your meter sends its readings by itself. You need not do anything.',
  },

  terminateTitle: 'End the contract',
  terminateHint: 'With the button "end it now" you declare the termination of this contract.',
  kind: 'Kind of termination',
  kinds: { ORDINARY: 'Ordinary termination', MOVE_OUT: 'Termination because of moving out' },
  earliestDay: (day) => `(last day ${day} at the earliest)`,
  lastDayHint: 'Left empty, the contract ends as early as possible. Moving out needs the day.',
  endOfMonth: 'Feed-in ends with a month.',
  terminateNow: 'end it now',
  otherReasons: 'For another good cause please write to your supplier.',
  endsOn: (day) => `The contract is terminated. The last day of supply is ${day}.`,
  noEarlierEnd: 'It cannot end earlier.',
  notTerminable: 'The supply is not confirmed yet. You can end the contract afterwards only.',
  withdrawInstead: 'Until then you can withdraw from it.',
  endingErrors: {
    invalid_termination_date: 'The contract cannot end on this day.',
    subscription_not_started: 'The supply is not confirmed yet.',
    ended_subscription: 'The contract has ended.',
    withdrawal_not_allowed: 'The time for a withdrawal is over.',
  },

  withdrawTitle: 'Withdraw from the contract',
  withdrawHint:
    'You can withdraw from this contract within 14 days without any reason. With "confirm the withdrawal" you declare it.',
  withdrawNow: 'confirm the withdrawal',
  withdrawalOver: 'A withdrawal is not possible any more: it is open to consumers for 14 days.',

  receiptTitle: 'Receipt of your declaration',
  receiptHint: 'We have received your declaration and confirm it.',
  keepReceipt: 'You can store or print this page.',
  receiptMailed:
    'If you ended the contract or withdrew from it here, we send the receipt to your e-mail address, too, where we know one.',
  declaration: 'Declaration',
  declarations: {
    ORDINARY: 'Ordinary termination',
    MOVE_OUT: 'Termination because of moving out',
    WITHDRAWAL: 'Withdrawal',
  },
  receivedAt: 'Received',
  neverSupplied: 'none, the supply does not begin',

  consentsTitle: 'Programs with access',
  consentsHint:
    'These programs may do for you what stands here. They may not conclude, change or end contracts.',
  noConsents: 'You have allowed access to no program at the moment.',
  letInOn: (day) => `allowed on ${day}`,
  mayRead: 'see your households and devices with what they measure, your contracts, usage and invoices',
  mayWrite: 'send meter readings for you',
  endConsent: 'End the access',
  consentEnded: 'A program whose access you end loses it within seconds.',
};

export const contractTexts: Readonly<Record<Language, typeof de>> = { de, en };
