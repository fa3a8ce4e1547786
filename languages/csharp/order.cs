namespace Acme.Orders;

public record Order(int Id)
{
    public int Total
    {
        get { return Id; }
    }
}

file struct Line { }
