using System;
using System.Collections.Generic;

namespace Acme.Shop
{
    /// <summary>A cart.</summary>
    [Serializable]
    public partial class Cart<T> : ICloneable where T : class
    {
        private readonly List<T> _items = new();

        public string Owner { get; set; } = "";
        public int Count => _items.Count;

        public Cart(string owner) : this()
        {
            Owner = owner;
        }

        // Adds an item.
        [Obsolete("use AddAll")]
        public bool Add(T item)
        {
            bool Known(T other) => other == item;
            return !_items.Exists(Known);
        }

        public T this[int index] => _items[index];
        public static Cart<T> operator +(Cart<T> a, Cart<T> b) => a;
        public static implicit operator int(Cart<T> cart) => 1;
        object ICloneable.Clone() => this;

        private enum Size { Small, Large }
    }

    public record Price(int Cents);

    public interface IShape
    {
        double Area();
        string Name { get; }
    }

    public delegate void Handler(object sender);
}
