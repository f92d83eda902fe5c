// Prices of a small shop, in cents.
const PRICES = { apple: 40, bread: 320, cheese: 780 };

/** The total of an order, such as { apple: 3, bread: 1 }. */
export function total(order) {
  return Object.entries(order).reduce((sum, [item, count]) => sum + PRICES[item] * count, 0);
}
